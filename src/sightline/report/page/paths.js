// ---- paths: what a way through the tree says about a row, each feature once

function bound(model, node) {
  return { value: model.threshold[node], text: model.number[node], excludes: model.excludes[node] };
}

function narrow(conditions, model, node, branch) {
  const feature = model.feature[node];
  const known = conditions.get(feature) ?? { low: null, high: null, codes: null };
  if (model.test[node] === THRESHOLD) {
    const at = bound(model, node);
    if (branch && (!known.low || at.value > known.low.value)) known.low = at;
    if (!branch && (!known.high || at.value < known.high.value)) known.high = at;
  } else {
    const all = data.columns[feature].values.map((_, code) => code);
    const taken = model.test[node] === MULTIWAY
      ? [branch]
      : all.filter((code) => model.values[node].includes(code) === (branch === 0));
    known.codes = known.codes ? known.codes.filter((code) => taken.includes(code)) : taken;
  }
  conditions.set(feature, known);
}

function conditionText(feature, known) {
  return known.codes ? membershipText(feature, known.codes) : intervalText(feature, known.low, known.high);
}

// The steps from the root to a node: [node, branch taken there].
function stepsTo(model, node) {
  const steps = [];
  for (let at = node; model.parent[at] >= 0; at = model.parent[at]) steps.push([model.parent[at], model.branch[at]]);
  return steps.reverse();
}

function conditionsTo(model, node) {
  const conditions = new Map();
  for (const [above, branch] of stepsTo(model, node)) narrow(conditions, model, above, branch);
  return [...conditions].map(([feature, known]) => conditionText(feature, known));
}

function branchText(model, node, branch) {
  const conditions = new Map();
  narrow(conditions, model, node, branch);
  const [feature, known] = [...conditions][0];
  return conditionText(feature, known);
}

function questionText(model, node) {
  if (model.test[node] === LEAF) return className(model.best[node]);
  if (model.test[node] === MULTIWAY) return data.columns[model.feature[node]].name;
  return branchText(model, node, 0);
}

// The question without the name of its feature, as in "is at most 30".
function questionRest(model, node) {
  if (model.test[node] === MULTIWAY) return "which value";
  return questionText(model, node).slice(data.columns[model.feature[node]].name.length + 1);
}

function answerText(model, node, branch) {
  if (model.test[node] === MULTIWAY) return data.columns[model.feature[node]].values[branch];
  return branch ? "no" : "yes";
}

function shareOfBest(model, node) {
  return model.mix[node][model.best[node]] ?? 0;
}

function pathSentence(model, node) {
  const conditions = conditionsTo(model, node);
  const start = conditions.length ? `If ${listed(conditions, "and")}, ` : "For every row ";
  const more = model.isShared[node] ? " Other ways lead here, too." : "";
  if (model.test[node] !== LEAF) return `${start}the ${model.noun} asks whether ${questionText(model, node)}.${more}`;
  return `${start}the ${model.noun} says ${className(model.best[node])}.${more}`;
}

function agreementText(model, node) {
  if (!model.agreed) return "";
  const seen = model.seen[node];
  if (!seen) return "No row of this report comes here.";
  const differ = seen - model.agreed[node];
  const told = differ < 0.005 ? "none differs" : `${grouped.format(differ)} ${differ === 1 ? "differs" : "differ"}`;
  return `Ensemble and ${model.noun} say the same on ${percent(model.agreed[node] / seen, 1)} of ${counted(seen, "row")} of this report; ${told}.`;
}

const PROOF_TEXTS = {
  proved: "Proved: the ensemble gives this answer for every possible row that comes here.",
  refuted: "Not for every possible row: some row that comes here is answered otherwise by the ensemble.",
  open: "Not known: the search for a proof ended before this was decided.",
};

function proofText(model, node) {
  const status = model.proof?.[node];
  if (!status) return model.proof === null && data.models[0].proof ? "Proofs were looked for in the report's own tree only." : "";
  if (model.test[node] !== LEAF && status === "proved") return "Proved: all leaves below give the ensemble's answer for every possible row.";
  if (model.test[node] !== LEAF && status === "refuted") return "Below are leaves in which the ensemble answers some possible row otherwise.";
  return PROOF_TEXTS[status];
}
