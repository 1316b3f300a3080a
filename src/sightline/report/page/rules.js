// ---- rules: sorted and searched; those that hold for the tried row are marked

function ruleColumns(model) {
  const columns = [
    labelColumn(),
    { head: "If", isText: true, value: ({ text }) => text, cell: (rule) => conditionList(ruleConditions(model, rule)) },
    { head: "Weight", value: ({ weight }) => weight, cell: (rule) => rule.weight_text },
  ];
  if (model.n_trees > 1) columns.push({ head: "Trees", value: ({ trees }) => trees, cell: ({ trees }) => grouped.format(trees) });
  const { qualityHeads: [seen, unseen], qualityCell } = task();
  // The sum of weights is no number of rows.
  const rowsOf = (rule, of) => (model.is_weighted ? null : rule[of] ?? null);
  const quality = (head, key, of) => ({ head, value: (rule) => rule[key], cell: (rule) => qualityCell(rule[key], rowsOf(rule, of)) });
  if (model.rules.some(({ rows }) => rows !== null)) {
    const rows = { head: model.rows_head, value: (rule) => rule.rows, cell: (rule) => (rule.rows === null ? "–" : grouped.format(rule.rows)) };
    columns.push(rows, quality(seen, "quality"));
  }
  if (model.rules.some(({ oob_quality: known }) => known !== null)) columns.push(quality(unseen, "oob_quality", "oob_rows"));
  return columns;
}

function ruleConditions(model, { conditions }) {
  return conditions.map((condition) => model.condition_text[condition]);
}

function ruleText(rule) {
  return `${rule.label_text} if ${rule.text}`;
}

function rulesCsv({ rows_head: rowsHead }, rules) {
  const heads = [task().labelHead, "conditions", "weight", "trees", rowsHead, ...task().qualityHeads].map((head) => head.toLowerCase());
  return csvText(heads, rules.map((rule) => [
    rule.label_text, rule.text, rule.weight, rule.trees, rule.rows ?? "", rule.quality ?? "", rule.oob_quality ?? "",
  ]));
}

function drawRules(section) {
  let table, model;
  const { bar, search } = tableToolbar("Search rules", () => table, () => table.sorted.map(ruleText).join("\n") + "\n", () => rulesCsv(model, table.sorted));
  const note = el("p", { class: "note" });
  const holder = el("div", { class: "rules" });
  const mark = (row) => {
    const satisfied = row ? predict(model, row).satisfied : null;
    table.mark((rule) => satisfied !== null && satisfied[rule.index] === rule.conditions.length);
  };
  const show = (shown) => {
    model = shown;
    note.textContent = model.voting_text;
    table = new SortableTable({
      caption: `${count(model.rules.length, "rule")}, the heaviest first. Highlighted: those that hold for the row in "What if".`, columns: ruleColumns(model), entries: model.rules,
      searchText: (rule) => ruleText(rule).toLowerCase(),
    });
    holder.replaceChildren(table.element, table.count, table.more);
    if (search.value) table.search(search.value);
    mark(state.row);
  };
  section.append(bar, note, holder, task().legend());
  state.on("model", show);
  state.on("row", mark);
  show(state.model);
}

kindOf({ kind: "rules" }).why = (model, row, { satisfied }) => {
  const n = (rule) => satisfied[rule.index] - rule.conditions.length;
  const holding = model.rules.filter((rule) => n(rule) === 0);
  const nearly = model.rules.filter((rule) => n(rule) === -1 && rule.conditions.length > 1);
  const failing = (rule) => rule.conditions.filter((condition) => !conditionHolds(model, condition, (feature) => row[feature]));
  const item = (rule, text) => el("li", null, swatch(task().labelColor(rule.label)), `${rule.label_text}: ${text}`);
  const missed = (rule) => joined(failing(rule).map((condition) => model.condition_text[condition]));
  // Several rules may miss the same condition.
  const different = [...new Map(nearly.map((rule) => [`${rule.label_text}: ${missed(rule)}`, rule])).values()];
  return el("div", null,
    el("p", null, say("rules_hold", { n: grouped.format(holding.length), rules: count(model.rules.length, "rule") })),
    el("ul", { class: "fired" }, holding.slice(0, 4).map((rule) => item(rule, rule.text))),
    nearly.length ? [el("p", null, say("nearly")), el("ul", { class: "fired" }, different.slice(0, 2).map((rule) => item(rule, missed(rule))))] : null);
};

partsOfPage.set("rules", { place: "main", draw: drawRules });
