// ---- data: what Python found, and what follows from it

const data = JSON.parse(document.getElementById("data").textContent);

// What the parts share: the model on display, the row being tried, the selected node.
const state = {
  model: data.models[0],
  row: null,
  node: 0,
  listeners: new Map(),
  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, []);
    this.listeners.get(event).push(listener);
  },
  emit(event, value) {
    for (const listener of this.listeners.get(event) ?? []) listener(value);
  },
};

const partsOfReport = new Set(data.parts.map(({ kind }) => kind));

function partOfReport(kind) {
  return data.parts.find((part) => part.kind === kind);
}

// What the page says about classes and about numbers, by name; `task` is that of this report.
const tasks = new Map();
const task = () => tasks.get(data.task);

// Parts of the page by kind: {place, draw(section, part)}; each file of a part adds itself here.
const partsOfPage = new Map();

// Kinds of models by name: {link(model), predict(model, valueOf), featuresOf(model), why(model, row, result)}.
const kindsOfModels = new Map();

function kindOf(model) {
  return kindsOfModels.get(model.kind);
}
