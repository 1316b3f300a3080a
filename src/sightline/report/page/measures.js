// ---- measures: how right and how faithful everyone is

function drawMeasures(section, part) {
  const cell = (head) => (text, index) => el("td", { class: "number", "data-head": head[index + 1] }, text);
  section.append(
    ...part.notes.map((note) => el("p", { class: "note" }, note)),
    el("div", { class: "scroll" }, el("table", { class: "measures" },
      el("thead", null, el("tr", null, part.head.map((text, index) => el("th", { scope: "col", class: index ? "number" : "text" }, text)))),
      el("tbody", null, part.lines.map(([name, ...cells]) => el("tr", null, el("th", { scope: "row" }, name), cells.map(cell(part.head))))))));
}

partsOfPage.set("measures", { place: "below", draw: drawMeasures });
