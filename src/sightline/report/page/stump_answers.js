// ---- stump answers: how stumps vote about a row, added up in Python's order

function linkStumps(model) {
  model.stumps.forEach(linkNodes);
}

function addStump(model, place, { best, output }, scores) {
  const weight = model.weight[place];
  scores.forEach((_, label) => {
    scores[label] += model.votes ? (label === best ? weight : model.against[place]) : weight * output[label];
  });
}

function answerStumps(model, row) {
  const answers = model.stumps.map((stump) => answerNodes(stump, row));
  const scores = model.base_last ? model.base.map(() => 0) : model.base.slice();
  answers.forEach((found, place) => addStump(model, place, found, scores));
  if (model.base_last) model.base.forEach((value, label) => { scores[label] += value; });
  const output = scores.map((score) => model.divide_by.reduce((value, divisor) => value / divisor, score));
  return { best: firstLargest(output, 0), output, leaf: -1, answers };
}

function stumpCandidates(model, feature) {
  const found = model.stumps.flatMap((stump) => numericCandidates(stump, feature));
  return [...new Map(found.map((candidate) => [candidate.value, candidate])).values()];
}

linkers.set("stumps", linkStumps);
for (const model of data.models) if (model.kind === "stumps") linkStumps(model);
answerers.set("stumps", answerStumps);
candidateFinders.set("stumps", stumpCandidates);
