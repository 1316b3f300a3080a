// ---- numbers: how the page shows what a regression predicts

// As sightline.wording.number_text does: some significant digits, but whole units are never rounded away.
function numberText(value, digits = 4) {
  if (value === 0) return "0";
  const power = Number(value.toExponential().split("e")[1]);
  const rounded = significant(value, power < 15 ? Math.max(digits, power + 1) : digits), size = Number(rounded.toExponential().split("e")[1]);
  return size < -5 || size > 15 ? rounded.toExponential().replace("+", "") : String(rounded);
}

// As sightline.wording.answer_text does: with thousands separators.
function predictedText(value, digits = 4) {
  return separated(numberText(value, digits));
}

function separated(text) {
  return text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

// Rounded as it is written in full: of two numbers equally near, to the even one.
function significant(value, digits) {
  const [mantissa, power] = Math.abs(value).toExponential().split("e"), all = mantissa.replace(".", "");
  const rest = all.slice(digits), kept = Number(all.slice(0, digits));
  if (!rest) return value;
  const isUp = rest > "5" || (rest === "5" && kept % 2 === 1);
  return Math.sign(value) * Number(`${kept + isUp}e${power - digits + 1}`);
}

// The color of a number on the scale from low to high, as in Python's show/drawing/_palette.py.
const LOW_COLOR = [134, 191, 232], HIGH_COLOR = [27, 90, 166];

function numberColor(value) {
  const share = numberShare(value);
  return `rgb(${LOW_COLOR.map((from, channel) => Math.round(from + (HIGH_COLOR[channel] - from) * share)).join(" ")})`;
}

function numberLabel(value) {
  return el("span", { class: "class-label number-label" }, swatch(numberColor(value)), predictedText(value));
}

function numberShare(value) {
  const { low, high } = data.numbers;
  return Math.max(0, Math.min(1, (value - low) / (high - low)));
}

// Bars of the rows' numbers from left to right, each in the color of its number; the mark is what is predicted.
function barsOf(bins, width, height, mark) {
  const { low, high } = data.numbers;
  const most = Math.max(...bins), wide = width / bins.length;
  const bars = bins.map((rows, index) => {
    if (rows <= 0) return null;
    const tall = Math.max(1, (height * rows) / most);
    const bar = svg("rect", { x: (index * wide + 0.25).toFixed(2), y: (height - tall).toFixed(2), width: (wide - 0.5).toFixed(2), height: tall.toFixed(2) });
    bar.style.fill = numberColor(low + ((index + 0.5) / bins.length) * (high - low));
    return bar;
  });
  const at = (numberShare(mark) * width).toFixed(2);
  return [svg("path", { class: "ground", d: `M0 ${height}H${width}` }), ...bars, svg("path", { class: "mark", d: `M${at} -2V${height + 2}` })];
}

function binsText(bins) {
  const { low, high } = data.numbers;
  const used = bins.flatMap((rows, index) => (rows > 0 ? [index] : []));
  if (!used.length) return say("no_bins");
  const edge = (index) => predictedText(low + (index / bins.length) * (high - low), 3);
  const total = bins.reduce((sum, rows) => sum + rows, 0);
  return say("bins", { rows: count(total, "row"), low: edge(used[0]), high: edge(used.at(-1) + 1) });
}

function distribution(bins, mark) {
  const text = binsText(bins);
  if (!bins.some((rows) => rows > 0)) return el("span", null, text);
  return el("span", { class: "distribution", title: text },
    svg("svg", { viewBox: "-2 -3 204 42", role: "img", "aria-label": text }, barsOf(bins, 200, 36, mark)),
    el("span", { class: "ends", "aria-hidden": "true" }, el("span", null, data.numbers.low_text), el("span", null, data.numbers.high_text)));
}

function gapCell(gap, rows = null) {
  return gap === null ? "–" : ofRows(predictedText(gap, 3), rows);
}

// The ends of what the model predicts when a single value changes.
function reachOf(model, row) {
  const before = predict(model, row).output[0];
  // Means of the same numbers may differ in their last bits.
  const isChange = (value) => Math.abs(value - before) > 1e-9 * Math.abs(before);
  const reach = { low: { value: before }, high: { value: before } };
  data.columns.forEach((column, feature) => {
    for (const candidate of [...candidatesOf(model, column, feature, row[feature]), ...endsOf(column, feature, model, row[feature])]) {
      const changed = row.slice();
      changed[feature] = candidate.value;
      const value = predict(model, changed).output[0];
      if (!isChange(value)) continue;
      if (value < reach.low.value) reach.low = { value, text: candidate.text };
      if (value > reach.high.value) reach.high = { value, text: candidate.text };
    }
  });
  return reach;
}

// A line in a leaf is lowest and highest at the ends of its column.
function endsOf(column, feature, model, current) {
  if (!model.term_feature?.includes(feature) || current === null || column.low === null) return [];
  return [column.low, column.high].map((value) => ({ value, text: say("equals", { name: column.name, value: numberOfColumn(column, value) }) }));
}

function rangeSentence(model, row) {
  const { low, high } = reachOf(model, row);
  const values = { low: predictedText(low.value), low_condition: low.text, high: predictedText(high.value), high_condition: high.text };
  if (!low.text && !high.text) return say("no_flip");
  return say(!low.text ? "range_up" : !high.text ? "range_down" : "range", values);
}

function niceStep(span, most) {
  const rough = span / most, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

// Neighboring ticks may differ only in their last digit.
const TICK_DIGITS = 12;

function niceTicks(low, high, most) {
  const step = niceStep(high - low, most), ticks = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step) ticks.push(Number(tick.toPrecision(TICK_DIGITS)));
  return ticks;
}

// Fewer ticks where their labels are long.
function ticksThatFit(low, high, width) {
  const labelled = [5, 3, 2].map((most) => niceTicks(low, high, most).map((tick) => [tick, predictedText(tick, TICK_DIGITS)]));
  return labelled.find((ticks) => (widest(ticks.map(([, text]) => text)) + 8) * ticks.length < width) ?? labelled.at(-1);
}

function hasLine(model, leaf) {
  const row = model.first[leaf];
  return model.term_begin !== undefined && model.term_begin[row] < model.term_begin[row + 1];
}

tasks.set("numbers", {
  searchHint: "Search features, values",

  text: (value) => predictedText(value),
  element: numberLabel,
  labelColor: numberColor,
  labelText: (model, node) => model.label_text[node],
  answerText: (model, node) => model.label_text[node],
  labelElement: (model, node) => el("span", { class: "class-label" }, swatch(numberColor(model.value[node])), model.label_text[node]),
  color: (model, node) => numberColor(model.value[node]),

  legend() {
    const { low, high } = data.numbers;
    const ramp = el("span", { class: "ramp", "aria-hidden": "true" });
    ramp.style.background = `linear-gradient(90deg, ${numberColor(low)}, ${numberColor(high)})`;
    return el("p", { class: "legend", "aria-label": "Colors of numbers" }, el("span", null, data.numbers.low_text), ramp, el("span", null, data.numbers.high_text));
  },

  // ---- a node

  agreementText(model, node) {
    if (!model.gap) return "";
    const gap = model.gap[node];
    if (!model.seen[node]) return say("agreement_unseen");
    if (gap === null) return "";
    return say(gap === 0 ? "agreement_all" : "agreement", { noun: model.noun, rows: count(model.seen[node], "row"), gap: predictedText(gap, 3) });
  },

  barOf: (model, node) => (isLeaf(model, node) ? [[numberShare(model.value[node]), numberColor(model.value[node])]] : []),
  colorOfKey: numberColor,

  nodeFacts(model, node) {
    const facts = data.rows.n_total === 0 ? [] : [fact(model.bins_head, distribution(model.bins[node], model.value[node]))];
    if (isLeaf(model, node)) facts.push(fact("Predicted", ...this.predictedFact(model, node)));
    if (model.bound?.[node]) facts.push(fact("Proved difference", el("span", { class: "proof proved" }, model.bound[node])));
    if (model.spread?.[node] != null) facts.push(fact("Spread", say("spread", { number: `± ${predictedText(model.spread[node], 3)}` })));
    return facts;
  },

  predictedFact(model, node) {
    if (!hasLine(model, node)) return [predictedText(model.value[node])];
    const row = model.first[node];
    return [model.label_text[node], el("br"), el("span", { class: "note" }, say("line_bounds", { low: predictedText(model.low[row]), high: predictedText(model.high[row]) }))];
  },

  // ---- the tables of leaves and of rules

  labelHead: "Predicts",
  labelOrder: ({ label }) => label,
  leafEntry: (model, node) => ({ label: model.value[node], spread: model.spread?.[node] ?? null, gap: model.gap?.[node] ?? null }),
  leafColumns(model) {
    const columns = [];
    if (model.spread) columns.push({ head: "Spread (±)", value: ({ spread }) => spread, cell: ({ spread }) => gapCell(spread) });
    if (model.gap) columns.push({ head: `Off the ${data.words.teacher}`, value: ({ gap }) => gap, cell: ({ gap, seen }) => gapCell(gap, seen) });
    return columns;
  },
  csvHeads: ["predicts", "conditions", "rows", "spread", "off", "proof"],
  csvCells: ({ spread, gap }) => [spread ?? "", gap ?? ""],
  qualityHeads: ["MAE", "Unseen MAE"],
  qualityCell: gapCell,

  // ---- what if

  verdict(model, result) {
    const value = result.output[0];
    return [
      el("p", { class: "answer" }, `The ${model.noun} predicts `, el("strong", { id: "prediction", "data-value": String(value) }, numberLabel(value))),
      distribution(data.numbers.bins, value),
    ];
  },
  changeSentence: (model, row) => rangeSentence(model, row),
  differs: (index) => partOfReport("disagreement")?.groups.some(({ rows }) => rows.includes(index)) ?? false,
  differsHead: () => `${teacherName()} and model differ most`,

  // ---- cases

  caseVote: () => "",

  // ---- sizes and disagreements

  measureText: (r2) => r2.toFixed(3),
  axis(all) {
    const bottom = Math.max(Math.min(...all), -1), low = Math.floor(20 * bottom) / 20, high = Math.min(1, Math.ceil(20 * Math.max(...all)) / 20);
    return { low, high: Math.max(high, low + 0.05), ticks: niceTicks(low, Math.max(high, low + 0.05), 5).map((at) => ({ at, text: String(Number(at.toFixed(3))) })) };
  },
  differenceText({ n_rows: total, n_shown: shown, mean, largest }) {
    const rows = count(total, "row");
    if (!largest) return say("no_difference", { rows });
    return [say("difference", { mean: predictedText(mean, 3), largest: predictedText(largest, 3), rows }), shown ? say("difference_shown", { n: count(shown, "row") }) : "", shown ? say(data.rows.name ? "row_names" : "row_numbers") : ""].filter(Boolean).join(" ");
  },
  groupHeads: ["Apart on average", "At most"].map((head) => ({ head, kind: "number" })),
  groupRowsHead: "Rows",
  // Numbers of nearly all rows differ.
  groupLead: () => "",
  groupCells: ({ mean, largest }) => [mean, largest].map((gap, index) => el("td", { class: "number", "data-head": index ? "at most" : "apart" }, predictedText(gap, 3))),
  rowHeads: () => ["Row", "Off by", "Model", teacherName(), ...(data.rows.label ? ["True number"] : [])],
  rowCells: (index) => [predictedText(Math.abs(data.rows.model_label[index] - data.rows.ensemble_label[index]), 3)],
  cellKind: "number",
});

// ---- predicted against actual: rows counted in cells

const SCATTER = { size: 320, left: 52, right: 8, top: 8, bottom: 44 };

function drawScatter(section, part) {
  section.append(el("p", { class: "note" }, say("density")), el("div", { class: "scatters" }, part.charts.map((chart) => el("figure", { class: "scatter" },
    el("figcaption", null, el("strong", null, chart.title), ` ${chart.text}`), scatterChart(chart)))));
}

function scatterChart(chart) {
  const { size, top, bottom } = SCATTER, { low, high, n_cells: n, cells } = chart;
  const ticks = ticksThatFit(low, high, size - SCATTER.left - SCATTER.right), wide = widest(ticks.map(([, text]) => text));
  // Beside the name of the axis on the left; half of the last label is beyond the end of the axis below.
  const left = Math.max(SCATTER.left, wide + 26), right = Math.max(SCATTER.right, wide / 2 + 2);
  const inside = size - left - right, step = inside / n;
  const at = (value) => ((value - low) / (high - low)) * inside;
  const most = Math.log1p(Math.max(...cells.map(([, , rows]) => rows)));
  const marks = ticks.flatMap(([tick, text]) => [
    svg("path", { class: "grid", d: `M${left} ${top + inside - at(tick)}h${inside}M${left + at(tick)} ${top}v${inside}` }),
    svg("text", { x: left - 6, y: top + inside - at(tick) + 4, "text-anchor": "end" }, text),
    svg("text", { x: left + at(tick), y: top + inside + 16, "text-anchor": "middle" }, text)]);
  const middle = (index) => predictedText(low + ((index + 0.5) / n) * (high - low), 3);
  const squares = cells.map(([column, row, rows]) => svg("rect", {
    class: "cell", x: (left + column * step).toFixed(2), y: (top + inside - (row + 1) * step).toFixed(2), width: step.toFixed(2), height: step.toFixed(2),
    "fill-opacity": (0.25 + 0.75 * (Math.log1p(rows) / most)).toFixed(2),
  }, svg("title", null, say("cell", { rows: count(rows, "row"), x: middle(column), y: middle(row) }))));
  return svg("svg", { class: "chart", viewBox: `0 0 ${size} ${inside + top + bottom}`, role: "img", "aria-label": `${chart.title}. ${chart.text}` },
    marks, svg("path", { class: "diagonal", d: `M${left} ${top + inside}L${left + inside} ${top}` }), squares,
    svg("text", { x: left + inside / 2, y: top + inside + 36, "text-anchor": "middle" }, chart.x),
    svg("text", { transform: `translate(12 ${top + inside / 2}) rotate(-90)`, "text-anchor": "middle" }, chart.y));
}

partsOfPage.set("scatter", { place: "below", draw: drawScatter });
