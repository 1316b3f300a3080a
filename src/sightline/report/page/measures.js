// ---- measures: how right and how faithful everyone is

function plainTable({ caption, head, lines }) {
  const cell = (text, index) => el("td", { class: "number", "data-head": head[index + 1] }, text);
  return el("div", { class: "scroll" }, el("table", { class: "measures" },
    caption ? el("caption", null, caption) : null,
    el("thead", null, el("tr", null, head.map((text, index) => el("th", { scope: "col", class: index ? "number" : "text" }, text)))),
    el("tbody", null, lines.map(([name, ...cells]) => el("tr", null, el("th", { scope: "row" }, name), cells.map(cell))))));
}

function drawMeasures(section, part) {
  section.append(el("p", { class: "note" }, part.notes.join(" ")), plainTable(part));
  for (const table of [part.confusion, part.calibration]) if (table) section.append(plainTable(table));
}

partsOfPage.set("measures", { place: "below", draw: drawMeasures });
