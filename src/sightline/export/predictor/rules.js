// ---- predictor of rule sets. A model is an object of arrays.
// Per condition: low < value <= high (null: no bound) or one of the codes, where is_nominal; accepts_missing.
// Per rule: its conditions, label and weight, and how many conditions of a partial match must hold (needed).
// Per class: base votes before the first rule, and the prior, which breaks ties.
// Rules that predict numbers vote for two sums: weights times numbers, and weights; their quotient is the answer.
// valueOf(feature) gives a number, the code of a category, or null for a missing value.

function conditionHolds(model, condition, valueOf) {
  const value = valueOf(model.feature[condition]);
  if (value === null) return model.accepts_missing[condition] === 1;
  if (model.is_nominal[condition] === 1) {
    for (let i = model.code_begin[condition]; i < model.code_begin[condition + 1]; ++i) if (model.code[i] === value) return true;
    return false;
  }
  const low = model.low[condition], high = model.high[condition];
  // Infinity counts as the largest number.
  const finite = Math.min(value, Number.MAX_VALUE);
  return (low === null || low < finite) && (high === null || finite <= high);
}

// Per rule, how many of its conditions hold.
function satisfiedConditions(model, valueOf) {
  const holds = model.feature.map((_, condition) => conditionHolds(model, condition, valueOf));
  return model.label.map((_, rule) => {
    let count = 0;
    for (let i = model.begin[rule]; i < model.begin[rule + 1]; ++i) count += holds[model.condition[i]] ? 1 : 0;
    return count;
  });
}

// The votes of the classes. If nothing votes, the fallback of partial matches does, then the prior.
function countVotes(model, satisfied) {
  let votes = model.base.slice();
  const fallback = model.base.map(() => 0);
  model.label.forEach((label, rule) => {
    const count = satisfied[rule], length = model.begin[rule + 1] - model.begin[rule];
    if (count === length) {
      votes[label] += model.weight[rule];
      return;
    }
    if (count >= model.needed[rule]) votes[label] += model.partial_factor * model.weight[rule] * count / length;
    if (count >= model.fallback_needed[rule]) fallback[label] += model.weight[rule] * count / length;
  });
  for (const instead of [fallback, model.prior.slice()]) {
    const deciding = model.is_mean ? votes.slice(1) : votes;
    if (deciding.every((vote) => Math.abs(vote) <= model.no_vote)) votes = instead;
  }
  return votes;
}

// The shares of the classes in the votes.
function voteShares(votes) {
  const least = Math.min(0, ...votes);
  const total = votes.reduce((sum, vote) => sum + (vote - least), 0);
  return votes.map((vote) => (total > 0 ? (vote - least) / total : 1 / votes.length));
}

// The class with most votes; of those equal within the tolerance the one with the larger prior, then the first.
function voteWinner(model, votes) {
  const enough = Math.max(...votes) - model.tie_tolerance * Math.max(...votes.map(Math.abs));
  let best = -1;
  votes.forEach((vote, index) => { if (vote >= enough && (best < 0 || model.prior[index] > model.prior[best])) best = index; });
  return best;
}
