// ---- classes: how the page shows labels

function className(index) {
  return data.classes[index]?.name ?? "?";
}

// The class with the name of the target, as in "default = yes".
function answerName(index) {
  return `${targetPrefix()}${className(index)}`;
}

function targetPrefix() {
  return data.target ? `${data.target} = ` : "";
}

function colorOf(index) {
  return data.classes[index]?.color ?? "#8a8f98";
}

function swatch(color) {
  const mark = el("span", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = color;
  return mark;
}

function classLabel(index) {
  return el("span", { class: "class-label" }, swatch(colorOf(index)), className(index));
}

const MAX_IN_LEGEND = 12;

// The mix of classes as one bar, with its numbers for screen readers.
function mixBar(shares) {
  const text = shares.map((share, index) => `${className(index)} ${percent(share)}`).join(", ");
  const bar = el("span", { class: "mix", role: "img", "aria-label": text, title: text });
  shares.forEach((share, index) => {
    if (share <= 0) return;
    const piece = el("span");
    piece.style.flexGrow = share;
    piece.style.background = colorOf(index);
    bar.append(piece);
  });
  return bar;
}

function mixList(shares) {
  const order = shares.map((share, index) => [share, index]).filter(([share]) => share > 0).sort((a, b) => b[0] - a[0]);
  const items = order.slice(0, 6).map(([share, index]) => el("li", null, classLabel(index), ` ${percent(share, 1)}`));
  if (order.length > 6) items.push(el("li", null, say("more", { n: order.length - 6 })));
  return el("ul", { class: "mix-list" }, items);
}

function shareOfBest(model, node) {
  return model.mix[node][model.best[node]] ?? 0;
}

function shareCell(share, rows = null, digits = 0) {
  return share === null ? "–" : ofRows(percent(share, digits), rows);
}

tasks.set("classes", {
  searchHint: "Search features, values, classes",

  text: className,
  element: classLabel,
  labelColor: colorOf,
  labelText: (model, node) => className(model.best[node]),
  answerText: (model, node) => answerName(model.best[node]),
  labelElement: (model, node) => classLabel(model.best[node]),
  color: (model, node) => colorOf(model.best[node]),

  legend() {
    const more = data.classes.length - MAX_IN_LEGEND;
    return el("p", { class: "legend", "aria-label": "Classes" }, data.classes.slice(0, MAX_IN_LEGEND).map((_, index) => classLabel(index)),
      more > 0 ? say("more", { n: more }) : null);
  },

  // ---- a node

  agreementText(model, node) {
    if (!model.agreed) return "";
    const seen = model.seen[node], differ = seen - model.agreed[node];
    if (!seen) return say("agreement_unseen");
    const values = { noun: model.noun, share: percent(model.agreed[node] / seen, 1), rows: count(seen, "row"), n: grouped.format(differ) };
    return say(differ < 0.005 ? "agreement_all" : "agreement", values);
  },

  barOf: (model, node) => model.mix[node].flatMap((share, index) => (share > 0 ? [[share, colorOf(index)]] : [])),
  colorOfKey: colorOf,

  nodeFacts(model, node) {
    const facts = [fact(model.mix_head, mixBar(model.mix[node]), mixList(model.mix[node]))];
    if (isLeaf(model, node)) facts.push(fact("Predicted probability", `${className(model.best[node])} ${percent(Math.max(...model.output[model.first[node]]), 1)}`));
    return facts;
  },

  // ---- the tables of leaves and of rules

  labelHead: "Class",
  labelOrder: ({ label_text: text }) => text,
  leafEntry: (model, node) => ({
    label: model.best[node], precision: model.rows[node] ? shareOfBest(model, node) : null,
    agreement: model.agreed && model.seen[node] ? model.agreed[node] / model.seen[node] : null,
  }),
  leafColumns(model) {
    const columns = [{ head: "Precision", value: ({ precision }) => precision, cell: ({ precision }) => shareCell(precision) }];
    if (model.agreed) columns.push({ head: "Agreement", value: ({ agreement }) => agreement, cell: ({ agreement, seen }) => shareCell(agreement, seen, 1) });
    return columns;
  },
  csvHeads: ["class", "conditions", "rows", "precision", "agreement", "proof"],
  csvCells: ({ precision, agreement }) => [precision ?? "", agreement ?? ""],
  qualityHeads: ["Precision", "Unseen precision"],
  qualityCell: shareCell,

  // ---- what if

  verdict(model, result) {
    return [
      el("p", { class: "answer" }, `The ${model.noun} predicts ${targetPrefix()}`, el("strong", { id: "prediction" }, classLabel(result.best)),
        ` (${model.kind === "nodes" ? "probability " : ""}${percent(result.output[result.best], 1)})`),
      mixBar(result.output),
    ];
  },
  changeSentence: (model, row) => flipSentence(model, row),
  differs: (index) => data.rows.ensemble_label !== null && data.rows.ensemble_label[index] !== data.rows.model_label[index],
  differsHead: () => `${teacherName()} and model differ`,

  // ---- cases

  // A black box may give labels only.
  caseVote({ share, n_for: n, n_members: members }) {
    const votes = { n: grouped.format(n), members: count(members, "member") };
    return share === null ? say("case_vote_without_share", votes) : say("case_vote", { share: percent(share, 1), ...votes });
  },

  // ---- sizes and disagreements

  measureText: (share) => percent(share, 1),
  axis(all) {
    const low = Math.floor(20 * Math.min(...all)), high = Math.min(20, Math.ceil(20 * Math.max(...all)));
    const step = Math.max(1, Math.ceil((high - low) / 5)), ticks = [];
    for (let tick = low; tick <= high; tick += step) ticks.push({ at: tick / 20, text: say("percent", { number: tick * 5 }) });
    return { low: low / 20, high: high / 20, ticks };
  },
  differenceText({ n_rows: total, n_differ: n, n_shown: shown }) {
    if (!n) return say("no_difference", { rows: count(total, "row") });
    return [
      say("difference", { n: grouped.format(n), rows: count(total, "row"), share: percent(n / total, 1) }),
      shown && shown < n ? say("difference_shown", { n: grouped.format(shown) }) : "", shown ? say(data.rows.name ? "row_names" : "row_numbers") : "",
    ].filter(Boolean).join(" ");
  },
  groupHeads: [{ head: "Differ", kind: "number" }, { head: `Model → ${data.words.teacher}`, kind: "text" }],
  groupRowsHead: "Of rows",
  groupLead: ({ n_rows: n }, nRows) => say("group", { n: grouped.format(n), rows: count(nRows, "row") }),
  groupCells: ({ n_rows: n, labels }) => [
    el("td", { class: "number", "data-head": "differ" }, grouped.format(n)),
    el("td", { class: "text pair", "data-head": "" }, labels.map(([own, other, rows]) => el("div", null, say("pair", { own: className(own), other: className(other), n: grouped.format(rows) }))))],
  rowHeads: () => ["Row", "Model", teacherName(), ...(data.rows.label ? ["True label"] : [])],
  rowCells: () => [],
  cellKind: "text",
});
