// ---- stumps: one by one, with what each is worth and what it says about the tried row

// Its leaves; those of one class below the same question with many answers are told together.
function leafGroups(stump) {
  const groups = new Map();
  stump.test.forEach((test, node) => {
    if (test !== LEAF) return;
    const above = stump.parent[node];
    const key = above >= 0 && stump.test[above] === MULTIWAY ? `${above}:${stump.best[node]}` : `${node}`;
    groups.set(key, [...(groups.get(key) ?? []), node]);
  });
  return [...groups.values()];
}

function groupText(stump, nodes) {
  const conditions = new Map();
  const steps = nodes.map((node) => stepsTo(stump, node));
  for (const [above, branch] of steps[0]) narrow(conditions, stump, above, branch);
  if (nodes.length > 1) conditions.get(stump.feature[stump.parent[nodes[0]]]).codes = steps.map((way) => way.at(-1)[1]);
  const told = [...conditions].map(([feature, known]) => conditionText(feature, known));
  return `${listed(told, "and") || "always"}: ${className(stump.best[nodes[0]])}`;
}

function groupShare(stump, nodes) {
  const rows = nodes.reduce((sum, node) => sum + stump.rows[node], 0);
  const right = nodes.reduce((sum, node) => sum + stump.rows[node] * shareOfBest(stump, node), 0);
  return rows ? ` ${percent(right / rows)} of ${counted(rows, "row")}` : " no row";
}

// The leaf that the tried row reaches stands out.
function stumpCell(stump) {
  const reached = stump.found?.leaf ?? -1;
  return el("ul", { class: "stump" }, leafGroups(stump).map((nodes) => el("li", { class: nodes.includes(reached) ? "reached" : null },
    swatch(stump.best[nodes[0]]), groupText(stump, nodes), el("span", { class: "note" }, groupShare(stump, nodes)))));
}

function errorCell(share) {
  return share === null ? "–" : percent(share, 1);
}

function stumpColumns(model) {
  const columns = [
    { head: "No.", value: ({ called }) => -called, cell: ({ called }) => String(called) },
    { head: "Votes", isText: true, value: ({ found }) => (found ? className(found.best) : ""), cell: ({ found }) => (found ? classLabel(found.best) : "–") },
    { head: "Stump", isText: true, value: ({ text }) => text, cell: stumpCell },
  ];
  if (model.stumps.some(({ alone }) => alone !== null)) {
    columns.push({ head: "Wrong alone", value: ({ alone }) => alone, cell: ({ alone }) => errorCell(alone) });
    columns.push({ head: "Others without it", value: ({ without }) => without, cell: ({ without }) => errorCell(without) });
  }
  return columns;
}

function drawStumps(section) {
  const { model } = state;
  for (const stump of model.stumps) stump.text = leafGroups(stump).map((nodes) => groupText(stump, nodes)).join("; ");
  const search = el("input", { type: "search", placeholder: "Search stumps", "aria-label": "Search stumps", oninput: () => table.search(search.value) });
  const asText = () => table.sorted.map(({ called, text }) => `(${called}) ${text}`).join("\n") + "\n";
  const copy = button("Copy as text", () => copyText(asText(), copy));
  const table = new SortableTable({
    caption: `${counted(model.stumps.length, "stump")} that ${model.stumps.length === 1 ? "votes" : "vote"}`,
    columns: stumpColumns(model), entries: model.stumps, searchText: ({ text }) => text.toLowerCase(),
  });
  state.on("row", (row) => {
    const found = row ? answerStumps(model, row) : null;
    model.stumps.forEach((stump, place) => { stump.found = found?.answers[place] ?? null; });
    table.refresh();
  });
  section.append(el("div", { class: "toolbar" }, search, el("span", { class: "space" }), copy), el("div", { class: "rules" }, table.element, table.count, table.more), legend());
}

function whyStumps(model, row, { best, answers }) {
  const item = (stump, place) => el("li", null, swatch(answers[place].best), `${stump.called}. ${stumpReason(stump, answers[place])}`);
  const sided = (isFor) => model.stumps.map((stump, place) => ((answers[place].best === best) === isFor ? item(stump, place) : null)).filter(Boolean);
  const [pro, con] = [sided(true), sided(false)];
  return el("div", null,
    el("p", null, `${grouped.format(pro.length)} of ${counted(model.stumps.length, "stump")} ${pro.length === 1 ? "says" : "say"} so${pro.length ? ":" : "."}`), el("ul", { class: "fired" }, pro),
    con.length ? [el("p", null, "Against:"), el("ul", { class: "fired" }, con)] : null);
}

function stumpReason(stump, { leaf, best }) {
  if (leaf < 0) return `a value is missing: mixed, ${className(best)}`;
  return listed(conditionsTo(stump, leaf), "and") || "always";
}

// The tree or graph with the same answers, drawn as those of other reports.
function drawEqual(section, part) {
  linkNodes(part.model);
  section.append(el("p", { class: "note" }, part.told));
  return new TreeView(section, part.model);
}

featureFinders.set("stumps", (model) => new Set(model.stumps.flatMap((stump) => stump.feature.filter((feature) => feature >= 0))));
reasoners.set("stumps", whyStumps);
partsOfPage.set("stumps", { place: "main", draw: drawStumps });
partsOfPage.set("equal", { place: "below", draw: drawEqual });
