// ---- disagreement: rows on which model and ensemble differ, by leaf, the worst first

function drawDisagreement(section, part) {
  if (!part.n_differ) {
    section.append(el("p", null, `Model and ensemble say the same on all ${counted(part.n_rows, "row")} of this report.`), ...witnessNote(part));
    return;
  }
  const more = part.n_shown < part.n_differ ? ` ${grouped.format(part.n_shown)} of them are on this page.` : "";
  section.append(
    el("p", null, `Model and ensemble differ on ${grouped.format(part.n_differ)} of ${counted(part.n_rows, "row")} (${percent(part.n_differ / part.n_rows, 1)}).${more} Their numbers count the rows of this report, from 0.`),
    ...witnessNote(part), ...part.groups.map((group, place) => drawGroup(group, place)));
}

function witnessNote({ witness }) {
  if (!witness?.n_leaves) return [];
  const told = `For ${counted(witness.n_leaves, "leaf", "leaves")} a possible row is known on which they differ`;
  return [el("p", { class: "note" }, `${told}; such rows need not be like any that occur.`)];
}

function drawGroup(group, place) {
  const model = data.models[0];
  const isLeaf = model.kind === "nodes" && group.leaf >= 0;
  const seen = isLeaf ? ` of ${counted(model.seen[group.leaf], "row")}` : "";
  const title = isLeaf ? pathSentence(model, group.leaf) : "All rows";
  return el("details", { open: place < 2 },
    el("summary", null, el("strong", null, `${grouped.format(group.rows.length)}${seen}: `), title),
    el("div", { class: "scroll" }, differenceTable(group.rows, isLeaf ? group.leaf : null)));
}

// The features that decide about these rows come first; those that do not are left out.
function differenceTable(rows, leaf) {
  const model = data.models[0];
  const features = leaf === null ? [...featuresOf(model)].slice(0, 12) : [...new Set(stepsTo(model, leaf).map(([node]) => model.feature[node]))];
  const { label, said, taught } = data.rows;
  const kindOf = (feature) => (data.columns[feature].values ? "text" : "number");
  const heads = ["Row", "Model", "Ensemble", ...(label ? ["Is"] : [])].map((head) => el("th", { scope: "col", class: "text" }, head));
  heads.push(...features.map((feature) => el("th", { scope: "col", class: kindOf(feature) }, data.columns[feature].name)), el("th"));
  return el("table", null,
    el("thead", null, el("tr", null, heads)),
    el("tbody", null, rows.map((place) => el("tr", null,
      el("td", null, String(data.rows.number[place])), el("td", null, classLabel(said[place])), el("td", null, classLabel(taught[place])),
      label ? el("td", null, classLabel(label[place])) : null,
      features.map((feature) => el("td", { class: kindOf(feature) }, cellText(feature, data.rows.cells[place][feature]))),
      el("td", null, button(partsOfReport.has("whatif") ? "What if" : "Show", () => tryRow(place)))))));
}

function cellText(feature, value) {
  if (value === null) return "missing";
  return data.columns[feature].values?.[value] ?? shortNumber(value);
}

function tryRow(place) {
  state.emit("try", place);
  document.getElementById("main").scrollIntoView({ behavior: reducedMotion.matches ? "auto" : "smooth" });
}

partsOfPage.set("disagreement", { place: "below", draw: drawDisagreement });
