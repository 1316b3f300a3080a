// ---- what if: a row to play with

const SLIDER_STEPS = 1000, MAX_UNNAMED = 20;

class WhatIf {
  constructor(section) {
    this.row = data.columns.map(usualValue);
    this.fields = data.columns.map((column, feature) => this.field(column, feature));
    this.verdict = el("div", { class: "verdict", "aria-live": "polite" });
    this.letter = new Letter();
    this.start = this.rowMenu();
    section.append(
      data.rows.cells?.length ? el("label", { class: "from-row" }, "Start from ", this.start) : "", this.verdict, this.letter.element,
      el("div", { class: "fields" }, this.fields.map((field) => field.element)));
    state.on("model", () => this.answer());
    state.on("try", (index) => this.load(index));
    this.isShown = false;
    this.listed = null;
  }

  // The path is lit only while the panel is in use.
  open() {
    this.isShown = true;
    this.answer();
  }

  // The path stays lit while the sizes are shown.
  close(next) {
    if (next !== "node" || !this.isShown) return;
    this.isShown = false;
    state.row = null;
    state.emit("row", null);
  }

  rowMenu() {
    const { rows } = data;
    const option = (index) => el("option", { value: index }, rowName(index));
    const indices = (rows.cells ?? []).map((_, index) => index);
    const { differs } = task();
    return el("select", { onchange: (event) => this.load(event.target.value === "" ? null : Number(event.target.value)) },
      el("option", { value: "" }, "typical values"),
      indices.some(differs) ? el("optgroup", { label: task().differsHead() }, indices.filter(differs).map(option)) : null,
      el("optgroup", { label: "Rows of this report, numbered from 0" }, indices.filter((index) => !differs(index)).map(option)));
  }

  load(index) {
    this.row = index === null ? data.columns.map(usualValue) : data.rows.cells[index].slice();
    this.listed = index;
    this.start.value = index === null ? "" : String(index);
    for (const field of this.fields) field.set(this.row);
    this.isShown = true;
    this.answer();
  }

  change(feature, value) {
    this.row[feature] = value;
    this.listed = null;
    this.start.value = "";
    this.fields[feature].set(this.row);
    this.answer();
  }

  field(column, feature) {
    return column.values ? new MenuField(column, feature, this) : new SliderField(column, feature, this);
  }

  answer() {
    if (!this.isShown) return;
    state.row = this.row;
    const { model } = state;
    const result = predict(model, this.row);
    const used = featuresOf(model);
    this.fields.forEach((field, feature) => { field.element.hidden = !used.has(feature); });
    this.verdict.replaceChildren(
      ...task().verdict(model, result), el("div", { class: "why" }, kindOf(model).why(model, this.row, result)),
      el("p", { class: "flip" }, task().changeSentence(model, this.row)), this.storedChange(model));
    this.letter.show(model, this.row, result, this.listed);
    state.emit("row", this.row);
  }

  // The page cannot ask the ensemble, so what changes both is known for its own rows only.
  storedChange(model) {
    const text = model === data.models[0] ? data.rows.changes?.[this.listed] : null;
    return text ? el("p", { class: "flip" }, say("both_change", { change: text })) : "";
  }
}

function usualValue(column) {
  if (column.values) return column.counts.indexOf(Math.max(...column.counts));
  if (column.low === null) return null;
  return column.whole || column.kind in INSTANT_FIELDS ? Math.round(column.middle) : column.middle;
}

// The name of a row in the data, or its number in the report.
function rowLabel(index) {
  const { number, name } = data.rows;
  return name ? name[index] : String(number[index]);
}

function rowName(index) {
  const { label, model_label: own, ensemble_label: other } = data.rows;
  const parts = [say("row_name", { n: rowLabel(index) })];
  if (label) parts.push(say("row_label", { label: task().text(label[index]) }));
  parts.push(say("row_model", { label: task().text(own[index]) }));
  if (other) parts.push(say("row_ensemble", { label: task().text(other[index]) }));
  return parts.join(", ");
}

kindOf({ kind: "nodes" }).why = (model, row, { leaf }) => {
  if (leaf < 0) return say("averaged", { noun: model.noun });
  const steps = stepsOf(model, row);
  const isMissing = ([node]) => row[model.feature[node]] === null;
  const conditions = conditionsOf(model, steps.filter((step) => !isMissing(step)));
  const names = [...new Set(steps.filter(isMissing).map(([node]) => data.columns[model.feature[node]].name))];
  const because = conditions.length ? say("because", { conditions: joined(conditions) }) : "";
  const missing = names.length ? say(names.length > 1 ? "default_branches" : "default_branch", { names: joined(names) }) : "";
  const line = data.task === "numbers" && hasLine(model, leaf) ? say("line", { line: model.label_text[leaf] }) : "";
  return [because, missing, line].filter(Boolean).join(" ");
};

// ---- one field per feature

// A page without rows does not name categories that few rows have.
function namedValues(column) {
  const codes = column.values.map((_, code) => code);
  const unnamed = codes.filter((code) => column.values[code] === null).slice(0, MAX_UNNAMED);
  return [
    ...codes.filter((code) => column.values[code] !== null).map((code) => ({ code, name: column.values[code] })),
    ...unnamed.map((code, index) => ({ code, name: say("rare_value", { n: index + 1 }) }))];
}

class MenuField {
  constructor(column, feature, owner) {
    const id = `field-${feature}`;
    this.feature = feature;
    this.menu = el("select", { id, onchange: () => owner.change(feature, this.menu.value === "" ? null : Number(this.menu.value)) },
      namedValues(column).map(({ name, code }) => el("option", { value: code }, name)), el("option", { value: "" }, "missing"));
    this.element = el("div", { class: "field" }, el("label", { for: id }, column.name), this.menu);
    this.set(owner.row);
  }

  set(row) {
    this.menu.value = row[this.feature] === null ? "" : String(row[this.feature]);
  }
}

class SliderField {
  constructor(column, feature, owner) {
    Object.assign(this, { column, feature });
    const id = `field-${feature}`;
    [this.low, this.high] = [column.low ?? 0, column.high ?? 1];
    const label = el("label", { for: id }, column.name);
    this.slider = el("input", {
      type: "range", min: 0, max: SLIDER_STEPS, "aria-label": `${column.name}, slider`,
      oninput: () => owner.change(feature, this.atSlider()),
    });
    this.number = el("input", {
      type: column.kind === "duration" ? "text" : INSTANT_FIELDS[column.kind] ?? "number", step: "any", id,
      oninput: () => this.take(owner), onchange: () => this.leave(owner),
    });
    this.missing = el("input", { type: "checkbox", onchange: () => owner.change(feature, this.missing.checked ? null : usualValue(column) ?? 0) });
    this.element = el("div", { class: "field" },
      label, this.number, el("label", { class: "missing" }, this.missing, "missing"),
      el("div", { class: "range" }, histogram(column), this.slider));
    this.set(owner.row);
  }

  // The prediction always belongs to the number beside it.
  take(owner) {
    const value = this.typed();
    if (!Number.isNaN(value)) owner.change(this.feature, value);
  }

  // What is no number is replaced by the last one that was, and a duration is written in full.
  leave(owner) {
    if (this.column.kind === "duration" || Number.isNaN(this.typed())) this.write(owner.row[this.feature]);
  }

  // Null for an empty field, NaN for what is no number or not one yet, such as "-".
  typed() {
    const { value, validity } = this.number, { kind } = this.column;
    if (validity.badInput) return NaN;
    if (value === "") return null;
    if (kind === "duration") return durationNumber(value);
    return kind in INSTANT_FIELDS ? isoNumber(kind, value) : Number(value);
  }

  atSlider() {
    const share = this.slider.value / SLIDER_STEPS;
    const value = this.low * (1 - share) + this.high * share;
    const isWhole = this.column.whole || this.column.kind in INSTANT_FIELDS;
    const step = this.column.kind === "duration" && this.high - this.low > DAY ? 60 : 1;
    return isWhole ? step * Math.round(value / step) : Number(value.toPrecision(6));
  }

  // Fields for typing keep all digits that matter.
  text(value) {
    const { kind } = this.column;
    if (kind === "duration") return durationText(value);
    return kind in INSTANT_FIELDS ? isoText(kind, value) : shortestAlike(this.feature, value);
  }

  write(value) {
    this.number.value = value === null ? "" : this.text(value);
  }

  // What was typed stays as it is.
  set(row) {
    const value = row[this.feature];
    this.missing.checked = value === null;
    if (this.typed() !== value) this.write(value);
    this.slider.disabled = value === null;
    if (value !== null) this.slider.value = Math.round(((value - this.low) / (this.high - this.low || 1)) * SLIDER_STEPS);
    this.slider.setAttribute("aria-valuetext", cellText(this.feature, value));
  }
}

// Per feature, all numbers at which some model of the page may change its label.
const allTurns = new Map();

function allTurnsOf(feature) {
  if (!allTurns.has(feature)) {
    const turns = data.models.flatMap((model) => turnsOf(model, feature));
    allTurns.set(feature, [...new Set(turns.map(({ value }) => value))]);
  }
  return allTurns.get(feature);
}

// The number with all its digits, as cell_text in wording/_number.py; if it has many decimals, the shortest one, from six
// digits on, that every model of the page treats like it.
function shortestAlike(feature, value) {
  if (Number(value.toFixed(4)) === value) return String(value);
  for (let digits = 6; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (allTurnsOf(feature).every((turn) => (value < turn) === (short < turn))) return String(short);
  }
  return String(value);
}

function histogram(column) {
  const most = Math.max(1, ...column.bins);
  const wide = 100 / Math.max(1, column.bins.length);
  return svg("svg", { class: "histogram", viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" },
    column.bins.map((rows, index) => svg("rect", {
      x: index * wide + 0.3, width: wide - 0.6, y: 20 - (20 * rows) / most, height: (20 * rows) / most,
    })));
}

partsOfPage.set("whatif", { place: "side", draw: (section) => new WhatIf(section) });
