// ---- disagreement: rows on which model and ensemble differ, by leaf, the worst first

function drawDisagreement(section, part) {
  const { n_refuted: refuted } = part;
  section.append(el("p", null, task().differenceText(part)));
  if (refuted) section.append(el("p", { class: "note" }, say("possible_rows", { leaves: count(refuted, "leaf") })));
  section.append(...part.groups.map((group, index) => drawGroup(group, index < 2)));
}

function drawGroup(group, isOpen) {
  const model = data.models[0];
  const hasLeaf = model.kind === "nodes" && group.leaf >= 0;
  const table = el("div", { class: "scroll differences" }, differenceTable(group.rows, hasLeaf ? group.leaf : null));
  // Where there are no leaves, all rows are one group.
  if (!hasLeaf) return table;
  const head = say("group", { n: grouped.format(group.rows.length), rows: count(model.seen[group.leaf], "row") });
  return el("details", { open: isOpen }, el("summary", null, el("strong", null, head), pathSentence(model, group.leaf)), table);
}

// Only features that decide about these rows are shown, in the order of their tests.
function differenceTable(rows, leaf) {
  const model = data.models[0];
  const features = leaf === null ? [...featuresOf(model)].slice(0, 12) : [...new Set(stepsTo(model, leaf).map(([node]) => model.feature[node]))];
  const { label, model_label: own, ensemble_label: other } = data.rows;
  const kindOfCell = (feature) => (data.columns[feature].values ? "text" : "number");
  const { element, cellKind } = task();
  const heads = task().rowHeads().map((head) => el("th", { scope: "col", class: cellKind }, head));
  // The button comes first: a wide table would hide it.
  heads.unshift(el("th"));
  heads.push(...features.map((feature) => el("th", { scope: "col", class: kindOfCell(feature) }, data.columns[feature].name)));
  const tryButton = (index) => button(partsOfReport.has("whatif") ? "What if" : "Show", () => tryRow(index));
  return el("table", null,
    el("thead", null, el("tr", null, heads)),
    el("tbody", null, rows.map((index) => el("tr", null, el("td", null, tryButton(index)),
      el("td", { class: cellKind }, String(data.rows.number[index])), task().rowCells(index).map((text) => el("td", { class: cellKind }, text)),
      [own, other, label].filter(Boolean).map((labels) => el("td", { class: cellKind }, element(labels[index]))),
      features.map((feature) => el("td", { class: kindOfCell(feature) }, cellText(feature, data.rows.cells[index][feature])))))));
}

function tryRow(index) {
  state.emit("try", index);
  document.getElementById("main").scrollIntoView({ behavior: reducedMotion.matches ? "auto" : "smooth" });
}

partsOfPage.set("disagreement", { place: "below", draw: drawDisagreement });
