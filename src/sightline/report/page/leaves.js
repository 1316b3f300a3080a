// ---- leaves: the tree as rules, one per leaf

function leafEntries(model) {
  return model.test.flatMap((_, node) => (isLeaf(model, node) ? [leafEntry(model, node)] : []));
}

function leafEntry(model, node) {
  const conditions = conditionsTo(model, node);
  const label = task().labelText(model, node);
  return {
    node, conditions, rows: model.rows[node], seen: model.seen[node], proof: model.proof?.[node] ?? null,
    label_text: label, text: `${label} if ${joined(conditions)}`, ...task().leafEntry(model, node),
  };
}

function leafColumns(model) {
  const columns = [
    labelColumn(),
    { head: "If", isText: true, value: ({ conditions }) => conditions.join(" "), cell: (entry) => [conditionList(entry.conditions, model), linkToNode(entry)] },
    { head: model.rows_head, value: ({ rows }) => rows, cell: ({ rows }) => grouped.format(rows) },
    ...task().leafColumns(model),
  ];
  const proofCell = ({ proof }) => el("span", { class: `proof ${proof}` }, proof ? say(proof) : "");
  if (model.proof) columns.push({ head: "Proof", isText: true, value: ({ proof }) => proof ?? "", cell: proofCell });
  return columns;
}

function conditionList(conditions, model = {}) {
  const item = (text) => el("li", null, inParentheses(text, conditions, openable(model, text)));
  return conditions.length ? el("ul", { class: "conditions" }, conditions.map(item)) : say("always");
}

function linkToNode({ node }) {
  return el("a", { class: "to-node", href: `#node-${node}`, onclick: () => state.emit("goto", node) }, "show in the tree");
}

function leavesCaption(model) {
  const caption = [`One rule per leaf of the ${model.noun}`, model.precision].filter(Boolean).join("; ");
  return model.missing_note ? `${caption}. ${model.missing_note}` : caption;
}

function drawLeaves(section) {
  let table;
  const asText = () => table.sorted.map((entry) => entry.text).join("\n") + "\n";
  const asCsv = () => csvText(task().csvHeads, table.sorted.map((entry) => [
    entry.label_text, joined(entry.conditions), entry.rows, ...task().csvCells(entry), entry.proof ?? "",
  ]));
  const { bar, search } = tableToolbar("Search rules", () => table, asText, asCsv);
  const holder = el("div");
  section.append(bar, holder);
  const show = (model) => {
    SortableTable.all.delete(table);
    table = new SortableTable({
      caption: leavesCaption(model), columns: leafColumns(model), entries: leafEntries(model),
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
