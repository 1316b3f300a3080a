// ---- rules: the rules of a set, sorted and searched; those that hold for the tried row are marked

function ruleConditionText({ feature, low, high, codes, missing }) {
  const text = codes ? membershipText(feature, codes) : intervalText(feature, low, high);
  return missing ? `${text} or is missing` : text;
}

function ruleTexts(model, rule) {
  return rule.conditions.map((place) => ruleConditionText(model.conditions[place]));
}

function ruleLabel({ label, weight }) {
  return weight < 0 ? `not ${className(label)}` : className(label);
}

function shareCell(share, rows) {
  return share === null ? "–" : el("span", { title: `of ${counted(rows, "row")}` }, percent(share));
}

function premiseCell({ texts }) {
  return texts.length ? el("ul", { class: "conditions" }, texts.map((text) => el("li", null, text))) : "always";
}

function ruleColumns(model) {
  const columns = [
    { head: "Class", isText: true, value: ruleLabel, cell: (rule) => el("span", { class: "class-label" }, swatch(rule.label), ruleLabel(rule)) },
    { head: "If", isText: true, value: ({ text }) => text, cell: premiseCell },
    { head: "Weight", value: ({ weight }) => Math.abs(weight), cell: ({ weight }) => shortNumber(Number(Math.abs(weight).toPrecision(3))) },
  ];
  if (model.n_trees > 1) columns.push({ head: "Trees", value: ({ trees }) => trees, cell: ({ trees }) => grouped.format(trees) });
  const share = (head, key, of) => ({ head, value: (rule) => rule[key], cell: (rule) => shareCell(rule[key], rule[of]) });
  if (model.rules.some(({ rows }) => rows !== null)) {
    const rows = { head: "Rows", value: (rule) => rule.rows, cell: (rule) => (rule.rows === null ? "–" : grouped.format(rule.rows)) };
    columns.push(rows, share("Precision", "precision", "rows"));
  }
  if (model.rules.some(({ oob_precision: known }) => known !== null)) {
    columns.push(share("Unseen precision", "oob_precision", "oob_rows"));
  }
  return columns;
}

function rulesCsv(rules) {
  const heads = ["class", "conditions", "weight", "trees", "rows", "precision", "unseen precision"];
  return csvText(heads, rules.map((rule) => [
    ruleLabel(rule), rule.text, Math.abs(rule.weight), rule.trees, rule.rows ?? "", rule.precision ?? "", rule.oob_precision ?? "",
  ]));
}

function drawRules(section) {
  let table, model;
  const search = el("input", { type: "search", placeholder: "Search rules", "aria-label": "Search rules", oninput: () => table.search(search.value) });
  const note = el("p", { class: "note" });
  const holder = el("div", { class: "rules" });
  const copy = button("Copy as text", () => copyText(table.sorted.map((rule) => `${ruleLabel(rule)} if ${rule.text}`).join("\n") + "\n", copy));
  const save = button("Save as CSV", () => saveText(rulesCsv(table.sorted), "rules.csv", "text/csv"));
  const mark = (row) => {
    const satisfied = row ? satisfiedConditions(model, row) : null;
    table.mark((rule) => satisfied !== null && satisfied[rule.place] === rule.conditions.length);
  };
  const show = (shown) => {
    model = shown;
    for (const rule of model.rules) {
      rule.texts ??= ruleTexts(model, rule);
      rule.text ??= rule.texts.length ? listed(rule.texts, "and") : "always";
    }
    note.textContent = `${model.voting_text}.`;
    table = new SortableTable({
      caption: `${counted(model.rules.length, "rule")}, the heaviest first`, columns: ruleColumns(model), entries: model.rules,
      searchText: (rule) => `${ruleLabel(rule)} if ${rule.text}`.toLowerCase(),
    });
    holder.replaceChildren(table.element, table.count, table.more);
    if (search.value) table.search(search.value);
    mark(state.row);
  };
  section.append(el("div", { class: "toolbar" }, search, el("span", { class: "space" }), copy, save), note, holder, legend());
  state.on("model", show);
  state.on("row", mark);
  show(state.model);
}

featureFinders.set("rules", (model) => new Set(model.rules.flatMap(({ conditions }) => conditions.map((place) => model.conditions[place].feature))));
reasoners.set("rules", whyRules);
partsOfPage.set("rules", { place: "main", draw: drawRules });
