// ---- data: what Python found, and what follows from it

const data = JSON.parse(document.getElementById("data").textContent);
const LEAF = 0, THRESHOLD = 1, SUBSET = 2, MULTIWAY = 3;
const ANY_NUMBER = Number.MAX_VALUE;

// What the parts tell each other: which model is shown, which row is tried, which node is looked at.
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

// Parts of the page by kind: {place, draw(section, part)}; a file per part adds itself here.
const partsOfPage = new Map();

// The first way to each node, how deep it lies, and what is known of all leaves below it.
function linkNodes(model) {
  const n = model.test.length;
  Object.assign(model, {
    parent: new Int32Array(n).fill(-1),
    branch: new Int32Array(n).fill(-1),
    level: new Int32Array(n),
    leavesBelow: new Int32Array(n),
  });
  model.isShared = new Array(n).fill(false);
  model.children.forEach((children, node) => children.forEach((child, branch) => {
    if (model.parent[child] >= 0) {
      model.isShared[child] = true;
      return;
    }
    model.parent[child] = node;
    model.branch[child] = branch;
    model.level[child] = model.level[node] + 1;
  }));
  // What lies below a shared node is reached on several ways, too.
  for (let node = 1; node < n; node++) model.isShared[node] ||= model.isShared[model.parent[node]];
  for (let node = n - 1; node >= 0; node--) {
    if (model.test[node] === LEAF) model.leavesBelow[node] = 1;
    if (node > 0) model.leavesBelow[model.parent[node]] += model.leavesBelow[node];
  }
  model.rows = model.weight ?? model.seen;
  if (model.proof) settleProofs(model);
}

function settleProofs(model) {
  for (let node = model.test.length - 1; node >= 0; node--) {
    if (model.test[node] === LEAF) continue;
    const below = model.children[node].map((child) => model.proof[child]);
    model.proof[node] = below.includes("refuted") ? "refuted" : below.includes("open") ? "open" : "proved";
  }
}

const linkers = new Map([["nodes", linkNodes]]);
for (const model of data.models) linkers.get(model.kind)?.(model);
