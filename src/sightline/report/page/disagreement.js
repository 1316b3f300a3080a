// ---- disagreement: where model and ensemble differ, by leaf, the worst first

function drawDisagreement(section, part) {
  const { n_refuted: refuted } = part;
  section.append(el("p", null, task().differenceText(part)));
  if (refuted) section.append(el("p", { class: "note" }, say("possible_rows", { leaves: count(refuted, "leaf") })));
  if (!part.groups.length) return;
  if (!part.n_shown) section.append(el("div", { class: "scroll" }, groupTable(part.groups)));
  else section.append(...part.groups.filter(({ rows }) => rows.length).map((group, index) => drawGroup(group, index < 2)));
}

// Without rows: how many differ in each leaf, and how.
function groupTable(groups) {
  const model = data.models[0];
  const hasLeaves = model.kind === "nodes";
  const heads = [...task().groupHeads, ...(hasLeaves ? [{ head: task().groupRowsHead, kind: "number" }, { head: "Leaf", kind: "text" }] : [])];
  const leafCells = ({ leaf }) => [
    el("td", { class: "number", "data-head": task().groupRowsHead.toLowerCase() }, grouped.format(model.seen[leaf])),
    el("td", { class: "text", "data-head": "" }, pathSentence(model, leaf), " ", linkToNode({ node: leaf }))];
  return el("table", null,
    el("thead", null, el("tr", null, heads.map(({ head, kind }) => el("th", { scope: "col", class: kind }, head)))),
    el("tbody", null, groups.map((group) => el("tr", null, task().groupCells(group), hasLeaves ? leafCells(group) : null))));
}

function drawGroup(group, isOpen) {
  const model = data.models[0];
  const hasLeaf = model.kind === "nodes" && group.leaf >= 0;
  const table = el("div", { class: "scroll differences" }, differenceTable(group.rows, hasLeaf ? group.leaf : null));
  // Where there are no leaves, all rows are one group.
  if (!hasLeaf) return table;
  const head = task().groupLead(group, model.seen[group.leaf]);
  return el("details", { open: isOpen }, el("summary", null, head ? el("strong", null, head) : null, pathSentence(model, group.leaf)), table);
}

// Only features that decide about these rows are shown, in the order of their tests.
function differenceTable(rows, leaf) {
  const model = data.models[0];
  const { label, model_label: own, ensemble_label: other, cells } = data.rows;
  const tested = leaf === null ? [...featuresOf(model)].slice(0, 12) : [...new Set(stepsTo(model, leaf).map(([node]) => model.feature[node]))];
  const features = cells ? tested : [];
  const kindOfCell = (feature) => (data.columns[feature].values ? "text" : "number");
  const { element, cellKind } = task();
  const heads = task().rowHeads().map((head) => el("th", { scope: "col", class: cellKind }, head));
  // The button comes first: a wide table would hide it.
  if (cells) heads.unshift(el("th"));
  heads.push(...features.map((feature) => el("th", { scope: "col", class: kindOfCell(feature) }, data.columns[feature].name)));
  const tryButton = (index) => button(partsOfReport.has("whatif") ? "What if" : "Show", () => tryRow(index));
  return el("table", null,
    el("thead", null, el("tr", null, heads)),
    el("tbody", null, rows.map((index) => el("tr", null, cells ? el("td", null, tryButton(index)) : null,
      el("td", { class: cellKind }, rowLabel(index)), task().rowCells(index).map((text) => el("td", { class: cellKind }, text)),
      [own, other, label].filter(Boolean).map((labels) => el("td", { class: cellKind }, element(labels[index]))),
      features.map((feature) => el("td", { class: kindOfCell(feature) }, cellText(feature, cells[index][feature])))))));
}

function tryRow(index) {
  state.emit("try", index);
  document.getElementById("main").scrollIntoView({ behavior: reducedMotion.matches ? "auto" : "smooth" });
}

partsOfPage.set("disagreement", { place: "below", draw: drawDisagreement });
