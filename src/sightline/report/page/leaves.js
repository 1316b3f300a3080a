// ---- leaves: the tree as rules, one per leaf

function leafEntries(model) {
  return model.test.flatMap((test, node) => (test === LEAF ? [leafEntry(model, node)] : []));
}

function leafEntry(model, node) {
  const conditions = conditionsTo(model, node);
  return {
    node, conditions, best: model.best[node], rows: model.rows[node], precision: shareOfBest(model, node),
    agreement: model.agreed && model.seen[node] ? model.agreed[node] / model.seen[node] : null, seen: model.seen[node],
    proof: model.proof?.[node] ?? null,
    text: `${className(model.best[node])} if ${conditions.length ? listed(conditions, "and") : "anything"}`,
  };
}

const PROOF_MARKS = { proved: "✓ proved", refuted: "not always", open: "not known" };

function leafColumns(model) {
  const columns = [
    { head: "Class", isText: true, value: ({ best }) => className(best), cell: ({ best }) => classLabel(best) },
    { head: "If", isText: true, value: ({ conditions }) => conditions.join(" "), cell: (entry) => conditionList(entry) },
    { head: rowsHead(model), value: ({ rows }) => rows, cell: ({ rows }) => grouped.format(rows) },
    { head: "Precision", value: ({ precision }) => precision, cell: ({ precision }) => percent(precision) },
  ];
  if (model.agreed) columns.push({ head: "Agreement", value: ({ agreement }) => agreement, cell: agreementCell });
  const proofCell = ({ proof }) => el("span", { class: `proof ${proof}` }, PROOF_MARKS[proof] ?? "");
  if (model.proof) columns.push({ head: "Proof", isText: true, value: ({ proof }) => proof ?? "", cell: proofCell });
  return columns;
}

function conditionList({ node, conditions }) {
  const list = conditions.length ? el("ul", { class: "conditions" }, conditions.map((text) => el("li", null, text))) : "always";
  return [list, el("a", { class: "to-node", href: `#node-${node}`, onclick: () => state.emit("goto", node) }, "show in the tree")];
}

function agreementCell({ agreement, seen }) {
  return agreement === null ? "–" : el("span", { title: `on ${counted(seen, "row")} of this report` }, percent(agreement, 1));
}

function drawLeaves(section) {
  let table;
  const search = el("input", { type: "search", placeholder: "Search rules", "aria-label": "Search rules", oninput: () => table.search(search.value) });
  const holder = el("div");
  const asText = () => table.sorted.map((entry) => entry.text).join("\n") + "\n";
  const asCsv = () => csvText(["class", "conditions", "rows", "precision", "agreement", "proof"],
    table.sorted.map((entry) => [className(entry.best), entry.conditions.join(" and "), entry.rows, entry.precision, entry.agreement ?? "", entry.proof ?? ""]));
  const copy = button("Copy as text", () => copyText(asText(), copy));
  const save = button("Save as CSV", () => saveText(asCsv(), "rules.csv", "text/csv"));
  section.append(el("div", { class: "toolbar" }, search, el("span", { class: "space" }), copy, save), holder);
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
