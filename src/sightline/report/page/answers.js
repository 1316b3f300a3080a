// ---- answers: what the models of the page predict, by the code of exported models

// Rows are arrays over the page's columns: numbers, codes of categories, null for missing.
function predict(model, row) {
  return kindOf(model).predict(model, (feature) => row[feature]);
}

// ---- trees and graphs

// The first path to each node, how deep it lies, and what is known about all leaves below it.
function linkNodes(model) {
  const n = model.test.length;
  const end = (node) => model.first[node] + model.branch_text[node].length;
  Object.assign(model, {
    children: model.test.map((_, node) => (isLeaf(model, node) ? [] : model.child.slice(model.first[node], end(node)))),
    parent: new Int32Array(n).fill(-1),
    branch: new Int32Array(n).fill(-1),
    level: new Int32Array(n),
    leavesBelow: new Int32Array(n),
    isShared: new Array(n).fill(false),
  });
  model.children.forEach((children, node) => children.forEach((child, branch) => {
    if (model.parent[child] >= 0) {
      model.isShared[child] = true;
      return;
    }
    model.parent[child] = node;
    model.branch[child] = branch;
    model.level[child] = model.level[node] + 1;
  }));
  model.isGraph = model.isShared.some(Boolean);
  // Nodes below a shared node are reached by several paths too.
  for (let node = 1; node < n; node++) model.isShared[node] ||= model.isShared[model.parent[node]];
  for (let node = n - 1; node >= 0; node--) {
    if (isLeaf(model, node)) model.leavesBelow[node] = 1;
    if (node > 0) model.leavesBelow[model.parent[node]] += model.leavesBelow[node];
  }
  if (model.proof) settleProofs(model);
}

function isLeaf(model, node) {
  return model.test[node] === model.kinds.leaf;
}

function settleProofs(model) {
  for (let node = model.test.length - 1; node >= 0; node--) {
    if (isLeaf(model, node)) continue;
    const below = model.children[node].map((child) => model.proof[child]);
    model.proof[node] = below.includes("refuted") ? "refuted" : below.includes("open") ? "open" : "proved";
  }
}

function predictLabel(model, valueOf) {
  const answer = predictNodes(model, valueOf);
  return { ...answer, best: labelOf(model, answer) };
}

kindsOfModels.set("nodes", {
  link: linkNodes,
  predict: predictLabel,
  featuresOf: (model) => [...model.feature.filter((feature) => feature >= 0), ...(model.term_feature ?? [])],
});

// ---- rule sets

function predictRules(model, valueOf) {
  const satisfied = satisfiedConditions(model, valueOf);
  const votes = countVotes(model, satisfied);
  const output = model.is_mean ? [votes[0] / votes[1]] : voteShares(votes);
  return { best: voteWinner(model, votes), output, leaf: -1, satisfied };
}

kindsOfModels.set("rules", { predict: predictRules, featuresOf: (model) => model.feature });

// ---- votes of stumps, added up in Python's order

function predictStumps(model, valueOf) {
  const answers = model.stumps.map((stump) => predictLabel(stump, valueOf));
  const scores = model.base_last ? model.base.map(() => 0) : model.base.slice();
  answers.forEach(({ best, output }, index) => {
    const weight = model.weight[index], against = model.against[index];
    scores.forEach((_, label) => { scores[label] += model.votes ? (label === best ? weight : against) : weight * output[label]; });
  });
  if (model.base_last) model.base.forEach((value, label) => { scores[label] += value; });
  const output = scores.map((score) => model.divide_by.reduce((value, divisor) => value / divisor, score));
  return { best: firstLargest(output, model.tie_tolerance), output, leaf: -1, answers };
}

kindsOfModels.set("stumps", {
  link: (model) => model.stumps.forEach(linkNodes),
  predict: predictStumps,
  featuresOf: (model) => model.stumps.flatMap(({ feature }) => feature.filter((index) => index >= 0)),
});

// ---- cases: looked up, not predicted

kindsOfModels.set("cases", { featuresOf: () => data.columns.map((_, feature) => feature) });

for (const model of data.models) kindOf(model).link?.(model);

function featuresOf(model) {
  model.features ??= new Set(kindOf(model).featuresOf(model));
  return model.features;
}
