// ---- predictor of trees and graphs. A model is an object of arrays with one entry per node:
//   test       kind of test, one of model.kinds
//   feature    index of the tested feature
//   threshold  of a threshold test: at most this takes branch 0
//   first      of a test: its first branch in child and share; of a leaf: its row in output
//   missing    the branch of missing values, model.split where all branches share them
//   code_begin, code_end  where the codes of a subset test are in code: they take branch 0
// and, if its leaves have labels of their own, one entry per row of output:
//   label      index of the label
// and, if its leaves have lines, one entry per row of output:
//   term_begin where the terms of a line begin in term_feature, slope and center
//   low, high  bounds of the line
// valueOf(feature) gives a number, the code of a category, or null for a missing value.

function branchOf(model, node, valueOf) {
  const value = valueOf(model.feature[node]);
  if (value === null) return model.missing[node];
  if (model.test[node] === model.kinds.threshold) return value <= model.threshold[node] ? 0 : 1;
  if (model.test[node] === model.kinds.multiway) return value;
  for (let i = model.code_begin[node]; i < model.code_end[node]; ++i) if (model.code[i] === value) return 0;
  return 1;
}

// Follow a row to its leaf, or to the first test at which a missing value splits it.
function followRow(model, valueOf) {
  let node = 0, branch;
  while (model.test[node] !== model.kinds.leaf && (branch = branchOf(model, node, valueOf)) !== model.split) {
    node = model.child[model.first[node] + branch];
  }
  return node;
}

// How much of a row every node from `start` on receives. Children have higher numbers than their parents.
function splitRow(model, valueOf, start = 0) {
  const parts = new Float64Array(model.test.length);
  parts[start] = 1;
  for (let node = start; node < parts.length; ++node) {
    if (parts[node] === 0 || model.test[node] === model.kinds.leaf) continue;
    const branch = branchOf(model, node, valueOf), first = model.first[node];
    if (branch !== model.split) {
      parts[model.child[first + branch]] += parts[node];
      continue;
    }
    for (let i = first; i < first + model.n_branches[node]; ++i) parts[model.child[i]] += parts[node] * model.share[i];
  }
  return parts;
}

// The output of a leaf. A line adds a product per term, none for a missing value.
function leafOutput(model, leaf, valueOf) {
  const row = model.first[leaf], output = model.output[row];
  if (model.term_begin === undefined) return output;
  let total = output[0];
  for (let term = model.term_begin[row]; term < model.term_begin[row + 1]; ++term) {
    const value = valueOf(model.term_feature[term]);
    if (value !== null) total += model.slope[term] * (value - model.center[term]);
  }
  if (Number.isNaN(total)) return output; // terms that overflow with opposite signs cancel
  return [total < model.low[row] ? model.low[row] : total > model.high[row] ? model.high[row] : total];
}

// The output for a row and the leaf that it reaches; -1 where several leaves share it.
function predictNodes(model, valueOf) {
  const end = followRow(model, valueOf);
  if (model.test[end] === model.kinds.leaf) return { output: leafOutput(model, end, valueOf), leaf: end };
  const output = model.output[0].map(() => 0);
  splitRow(model, valueOf, end).forEach((part, node) => {
    if (part === 0 || model.test[node] !== model.kinds.leaf) return;
    leafOutput(model, node, valueOf).forEach((value, index) => { output[index] += part * value; });
  });
  return { output, leaf: -1 };
}

// The index of the largest value; of values that are equal within the tolerance, the first.
function firstLargest(values, tolerance) {
  let best = 0;
  for (let index = 1; index < values.length; ++index) if (values[index] - values[best] > tolerance) best = index;
  return best;
}

// The index of the label of what predictNodes returned.
function labelOf(model, { output, leaf }) {
  return model.label === undefined ? firstLargest(output, model.tie_tolerance) : model.label[model.first[leaf]];
}
