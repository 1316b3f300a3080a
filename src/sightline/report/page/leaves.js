// ---- leaves: the tree as rules, one per leaf

function leafEntries(model) {
  return model.test.flatMap((_, node) => (isLeaf(model, node) ? [leafEntry(model, node)] : []));
}

function leafEntry(model, node) {
  const conditions = conditionsTo(model, node);
  return {
    node, conditions, best: model.best[node], rows: model.rows[node], precision: model.rows[node] ? shareOfBest(model, node) : null,
    agreement: model.agreed && model.seen[node] ? model.agreed[node] / model.seen[node] : null, seen: model.seen[node],
    proof: model.proof?.[node] ?? null,
    text: `${className(model.best[node])} if ${joined(conditions)}`,
  };
}

function leafColumns(model) {
  const columns = [
    { head: "Class", isText: true, value: ({ best }) => className(best), cell: ({ best }) => classLabel(best) },
    { head: "If", isText: true, value: ({ conditions }) => conditions.join(" "), cell: (entry) => [conditionList(entry.conditions), linkToNode(entry)] },
    { head: model.rows_head, value: ({ rows }) => rows, cell: ({ rows }) => grouped.format(rows) },
    { head: "Precision", value: ({ precision }) => precision, cell: ({ precision, rows }) => shareCell(precision, rows) },
  ];
  if (model.agreed) columns.push({ head: "Agreement", value: ({ agreement }) => agreement, cell: ({ agreement, seen }) => shareCell(agreement, seen, 1) });
  const proofCell = ({ proof }) => el("span", { class: `proof ${proof}` }, proof ? say(proof) : "");
  if (model.proof) columns.push({ head: "Proof", isText: true, value: ({ proof }) => proof ?? "", cell: proofCell });
  return columns;
}

function conditionList(conditions) {
  return conditions.length ? el("ul", { class: "conditions" }, conditions.map((text) => el("li", null, text))) : say("always");
}

function linkToNode({ node }) {
  return el("a", { class: "to-node", href: `#node-${node}`, onclick: () => state.emit("goto", node) }, "show in the tree");
}

function shareCell(share, rows, digits = 0) {
  return share === null ? "–" : el("span", { title: `of ${count(rows, "row")}` }, percent(share, digits));
}

function drawLeaves(section) {
  let table;
  const asText = () => table.sorted.map((entry) => entry.text).join("\n") + "\n";
  const asCsv = () => csvText(["class", "conditions", "rows", "precision", "agreement", "proof"],
    table.sorted.map((entry) => [className(entry.best), entry.conditions.join(" and "), entry.rows, entry.precision ?? "", entry.agreement ?? "", entry.proof ?? ""]));
  const { bar, search } = tableToolbar("Search rules", () => table, asText, asCsv);
  const holder = el("div");
  section.append(bar, holder);
  const show = (model) => {
    table = new SortableTable({
      caption: [`One rule per leaf of the ${model.noun}`, model.precision].filter(Boolean).join("; "), columns: leafColumns(model), entries: leafEntries(model),
      searchText: (entry) => entry.text.toLowerCase(),
    });
    holder.replaceChildren(table.element, table.count, table.more);
    table.sortBy(2);
    if (search.value) table.search(search.value);
  };
  state.on("model", show);
  show(state.model);
}

partsOfPage.set("leaves", { place: "below", draw: drawLeaves });
