// ---- paths: what a path through the tree says about a row, each feature once

// The steps from the root to a node: [node, branch taken there]. In a graph, those of the first path.
function stepsTo(model, node) {
  const steps = [];
  for (let at = node; model.parent[at] >= 0; at = model.parent[at]) steps.push([model.parent[at], model.branch[at]]);
  return steps.reverse();
}

// The steps that a row without a split takes.
function stepsOf(model, row) {
  const steps = [];
  for (let node = 0; !isLeaf(model, node);) {
    const branch = branchOf(model, node, (feature) => row[feature]);
    steps.push([node, branch]);
    node = model.children[node][branch];
  }
  return steps;
}

// The condition of a branch, with the missing values that take it.
function wayText(model, node, branch) {
  return model.way_text[node]?.[branch] ?? model.branch_text[node][branch];
}

// The conditions of steps that the values of a row meet.
function conditionsOf(model, steps) {
  if (model.isGraph) return steps.map(([node, branch]) => model.branch_text[node][branch]);
  return lastOfFeatures(model, steps, (child) => model.condition[child]);
}

// The conditions of a path, with the missing values that take it.
function conditionsTo(model, node) {
  const steps = stepsTo(model, node);
  if (model.isGraph) return steps.map(([above, branch]) => wayText(model, above, branch));
  return lastOfFeatures(model, steps, (child) => model.premise[child] ?? model.condition[child]);
}

// Only in a tree does the last text about a feature sum up those before it.
function lastOfFeatures(model, steps, textOf) {
  const last = new Map();
  for (const [node, branch] of steps) last.set(model.feature[node], textOf(model.children[node][branch]));
  return [...last.values()];
}

function questionText(model, node) {
  return isLeaf(model, node) ? task().labelText(model, node) : `${data.columns[model.feature[node]].name} ${model.question[node]}`;
}

function answerText(model, node, branch) {
  if (model.test[node] === model.kinds.multiway) return cellText(model.feature[node], branch);
  return say(branch ? "no" : "yes");
}

function pathSentence(model, node) {
  const conditions = conditionsTo(model, node);
  const values = { noun: model.noun, conditions: joined(conditions), label: task().answerText(model, node), question: questionText(model, node) };
  const sentence = say(`${conditions.length ? "path" : "root"}_${isLeaf(model, node) ? "leaf" : "test"}`, values);
  return model.isShared[node] ? `${sentence} ${say("other_paths")}` : sentence;
}

function proofText(model, node) {
  const status = model.proof?.[node];
  if (!status) return model.proof === null && data.models[0].proof ? say("proof_elsewhere") : "";
  return say(`${status}_${isLeaf(model, node) ? "leaf" : "below"}`);
}
