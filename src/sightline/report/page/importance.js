// ---- importance: which columns matter to the model and to the ensemble

function drawImportance(section, part) {
  section.append(el("p", { class: "note" }, part.note), plainTable({ head: part.heads, lines: part.lines }));
}

partsOfPage.set("importance", { place: "below", draw: drawImportance });
