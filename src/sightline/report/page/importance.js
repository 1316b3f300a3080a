// ---- importance: which columns the model and the ensemble use

function drawImportance(section, part) {
  const kind = (index) => (index ? "number" : "text");
  section.append(el("p", { class: "note" }, part.note), el("div", { class: "scroll" }, el("table", null,
    el("thead", null, el("tr", null, part.heads.map((head, index) => el("th", { scope: "col", class: kind(index) }, head)))),
    el("tbody", null, part.lines.map((line) => el("tr", null, line.map((text, index) => el("td", { class: kind(index) }, text))))))));
}

partsOfPage.set("importance", { place: "below", draw: drawImportance });
