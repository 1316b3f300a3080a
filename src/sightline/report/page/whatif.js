// ---- what if: a row to play with

const SLIDER_STEPS = 1000;

class WhatIf {
  constructor(section) {
    this.row = data.columns.map(usualValue);
    this.fields = data.columns.map((column, feature) => this.field(column, feature));
    this.verdict = el("div", { class: "verdict", "aria-live": "polite" });
    this.start = this.rowMenu();
    section.append(
      el("label", { class: "from-row" }, "Start from ", this.start), this.verdict,
      el("div", { class: "fields" }, this.fields.map((field) => field.element)));
    state.on("model", () => this.answer());
    state.on("try", (place) => this.load(place));
    this.isShown = false;
  }

  // The path is lit only while somebody plays: opening the panel begins it.
  open() {
    this.isShown = true;
    this.answer();
  }

  // Who looks at other sizes still wants to see the path.
  close(next) {
    if (next !== "node" || !this.isShown) return;
    this.isShown = false;
    state.row = null;
    state.emit("row", null);
  }

  rowMenu() {
    const { rows } = data;
    const option = (place) => el("option", { value: place }, rowName(place));
    const places = rows.number.map((_, place) => place);
    const differs = (place) => rows.taught && rows.taught[place] !== rows.said[place];
    return el("select", { onchange: (event) => this.load(event.target.value === "" ? null : Number(event.target.value)) },
      el("option", { value: "" }, "the usual values"),
      places.some(differs) ? el("optgroup", { label: "Ensemble and model differ" }, places.filter(differs).map(option)) : null,
      el("optgroup", { label: "Rows of this report, the first is 0" }, places.filter((place) => !differs(place)).map(option)));
  }

  load(place) {
    this.row = place === null ? data.columns.map(usualValue) : data.rows.cells[place].slice();
    this.start.value = place === null ? "" : String(place);
    for (const field of this.fields) field.set(this.row);
    this.isShown = true;
    this.answer();
  }

  change(feature, value) {
    this.row[feature] = value;
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
    const found = answer(model, this.row);
    const used = featuresOf(model);
    this.fields.forEach((field, feature) => { field.element.hidden = !used.has(feature); });
    this.verdict.replaceChildren(
      el("p", { class: "answer" }, `The ${model.noun} says `, el("strong", { id: "prediction" }, classLabel(found.best)), ` (${model.kind === "nodes" ? "probability " : ""}${percent(found.output[found.best], 1).replace(" %", "\u00a0%")})`),
      mixBar(found.output), whySentence(model, this.row, found), el("p", { class: "flip" }, flipSentence(model, this.row)));
    state.emit("row", this.row);
    if (found.leaf >= 0) state.emit("leaf", found.leaf);
  }
}

function usualValue(column) {
  if (column.values) return column.counts.indexOf(Math.max(...column.counts));
  if (column.low === null) return null;
  return column.whole ? Math.round(column.middle) : column.middle;
}

function rowName(place) {
  const { rows } = data;
  const parts = [`row ${rows.number[place]}`];
  if (rows.label) parts.push(`is ${className(rows.label[place])}`);
  parts.push(`model: ${className(rows.said[place])}`);
  if (rows.taught) parts.push(`ensemble: ${className(rows.taught[place])}`);
  return parts.join(", ");
}

const featureFinders = new Map([["nodes", (model) => new Set(model.feature.filter((feature) => feature >= 0))]]);

function featuresOf(model) {
  model.features ??= featureFinders.get(model.kind)(model);
  return model.features;
}

function whyNodes(model, row, { leaf }) {
  if (leaf < 0) return "A value is missing that is asked for: the answers of several leaves are mixed.";
  const conditions = new Map();
  const unanswered = new Set();
  for (const [node, branch] of stepsTo(model, leaf)) {
    if (row[model.feature[node]] === null) unanswered.add(data.columns[model.feature[node]].name);
    else narrow(conditions, model, node, branch);
  }
  const reasons = [...conditions].map(([feature, known]) => conditionText(feature, known));
  const because = reasons.length ? `Because ${listed(reasons, "and")}.` : "";
  const missing = unanswered.size ? ` ${listed([...unanswered], "and")} is missing and goes the way set for that.` : "";
  return because + missing;
}

const reasoners = new Map([["nodes", whyNodes]]);

function whySentence(model, row, found) {
  return el("div", { class: "why" }, reasoners.get(model.kind)(model, row, found));
}

// ---- one field per feature

class MenuField {
  constructor(column, feature, owner) {
    const id = `field-${feature}`;
    this.feature = feature;
    this.menu = el("select", { id, onchange: () => owner.change(feature, this.menu.value === "" ? null : Number(this.menu.value)) },
      column.values.map((name, code) => el("option", { value: code }, name)), el("option", { value: "" }, "missing"));
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
      type: "number", step: "any", id,
      onchange: () => owner.change(feature, this.number.value === "" ? null : Number(this.number.value)),
    });
    this.missing = el("input", { type: "checkbox", onchange: () => owner.change(feature, this.missing.checked ? null : usualValue(column) ?? 0) });
    this.element = el("div", { class: "field" },
      label, this.number, el("label", { class: "missing" }, this.missing, "missing"),
      el("div", { class: "range" }, histogram(column), this.slider));
    this.set(owner.row);
  }

  atSlider() {
    const share = this.slider.value / SLIDER_STEPS;
    const value = this.low * (1 - share) + this.high * share;
    return this.column.whole ? Math.round(value) : Number(value.toPrecision(6));
  }

  set(row) {
    const value = row[this.feature];
    this.missing.checked = value === null;
    this.number.value = value === null ? "" : shortestAlike(this.feature, value);
    this.slider.disabled = value === null;
    if (value !== null) this.slider.value = Math.round(((value - this.low) / (this.high - this.low || 1)) * SLIDER_STEPS);
    this.slider.setAttribute("aria-valuetext", value === null ? "missing" : shortNumber(value));
  }
}

// All values at which some model of the page may begin to answer otherwise, per feature.
const turns = new Map();

function turnsOf(feature) {
  if (!turns.has(feature)) {
    const found = data.models.flatMap((model) => candidateFinders.get(model.kind)?.(model, feature) ?? []);
    turns.set(feature, [...new Set(found.map(({ value }) => value))]);
  }
  return turns.get(feature);
}

// The shortest text, from six digits on, of a number that no model of the page tells from the value.
function shortestAlike(feature, value) {
  if (Number.isInteger(value)) return String(value);
  for (let digits = 6; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    if (turnsOf(feature).every((turn) => (value < turn) === (short < turn))) return String(short);
  }
  return String(value);
}

function histogram(column) {
  const most = Math.max(1, ...column.bins);
  const wide = 100 / Math.max(1, column.bins.length);
  return svg("svg", { class: "histogram", viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" },
    column.bins.map((count, place) => svg("rect", {
      x: place * wide + 0.3, width: wide - 0.6, y: 20 - (20 * count) / most, height: (20 * count) / most,
    })));
}

partsOfPage.set("whatif", { place: "side", draw: (section) => new WhatIf(section) });
