// ---- rule answers: how rules vote about a row, exactly as Python counts

const VOTE_ROUNDING = 1e-9, NO_VOTE = 1e-12;

function linkRules(model) {
  for (const condition of model.conditions) condition.inside = condition.codes && new Set(condition.codes);
  model.rules.forEach((rule, place) => { rule.place = place; });
}

function conditionHolds(condition, row) {
  const value = row[condition.feature];
  if (value === null) return condition.missing;
  if (condition.inside) return condition.inside.has(value);
  return (!condition.low || value > condition.low.value) && (!condition.high || value <= condition.high.value);
}

// Per rule how many of its conditions hold.
function satisfiedConditions(model, row) {
  const holds = model.conditions.map((condition) => conditionHolds(condition, row));
  return model.rules.map(({ conditions }) => conditions.reduce((count, place) => count + holds[place], 0));
}

// The votes of rules of which a share of the conditions holds, but not all.
function partialVotes(model, satisfied, share) {
  const votes = model.voting.prior.map(() => 0);
  model.rules.forEach(({ conditions, label, weight }, place) => {
    const needed = Math.max(1, Math.ceil(share * conditions.length - VOTE_ROUNDING));
    if (satisfied[place] >= needed && satisfied[place] < conditions.length) votes[label] += (weight * satisfied[place]) / conditions.length;
  });
  return votes;
}

function finalVotes(model, satisfied) {
  const { base, pc, wr, fallback, prior } = model.voting;
  const votes = base.slice();
  model.rules.forEach(({ conditions, label, weight }, place) => { if (satisfied[place] === conditions.length) votes[label] += weight; });
  if (wr) partialVotes(model, satisfied, pc).forEach((vote, place) => { votes[place] += wr * vote; });
  const isNothing = (sums) => sums.every((vote) => Math.abs(vote) <= NO_VOTE);
  if (!isNothing(votes)) return votes;
  const nearly = fallback !== null && fallback < 1 ? partialVotes(model, satisfied, fallback) : votes;
  return isNothing(nearly) ? prior : nearly;
}

// Votes that differ by no more than rounding are equal; then the larger prior wins, then the first.
function voteWinner(votes, prior) {
  const enough = Math.max(...votes) - VOTE_ROUNDING * Math.max(...votes.map(Math.abs));
  let best = -1;
  votes.forEach((vote, place) => { if (vote >= enough && (best < 0 || prior[place] > prior[best])) best = place; });
  return best;
}

function answerRules(model, row) {
  const satisfied = satisfiedConditions(model, row);
  const votes = finalVotes(model, satisfied);
  const least = Math.min(0, ...votes);
  const total = votes.reduce((sum, vote) => sum + vote - least, 0);
  return { best: voteWinner(votes, model.voting.prior), output: votes.map((vote) => (total > 0 ? (vote - least) / total : 1 / votes.length)), leaf: -1, satisfied };
}

function ruleCandidates(model, feature) {
  const found = new Map();
  for (const condition of model.conditions) {
    for (const end of [condition.low, condition.high]) {
      if (condition.feature !== feature || !end || end.value === ANY_NUMBER) continue;
      for (const candidate of sidesOf(end)) found.set(candidate.key, candidate);
    }
  }
  return [...found.values()];
}

function whyRules(model, row, { satisfied }) {
  const isFull = (rule) => satisfied[rule.place] === rule.conditions.length;
  const fired = model.rules.filter(isFull);
  const nearly = model.rules.filter((rule) => !isFull(rule) && satisfied[rule.place] >= rule.conditions.length - 1 && rule.conditions.length > 1);
  const item = (rule, told) => el("li", null, swatch(rule.label), `${ruleLabel(rule)}: ${told}`);
  const failing = (rule) => rule.conditions.filter((place) => !conditionHolds(model.conditions[place], row)).map((place) => ruleConditionText(model.conditions[place]));
  return el("div", null,
    el("p", null, `${counted(fired.length, "rule")} of ${grouped.format(model.rules.length)} ${fired.length === 1 ? "holds" : "hold"}.`),
    el("ul", { class: "fired" }, fired.slice(0, 4).map((rule) => item(rule, listed(ruleTexts(model, rule), "and") || "always"))),
    nearly.length ? [el("p", null, "Nearly:"), el("ul", { class: "fired" }, nearly.slice(0, 2).map((rule) => item(rule, `but not ${failing(rule).join(", ")}`)))] : null);
}

linkers.set("rules", linkRules);
for (const model of data.models) if (model.kind === "rules") linkRules(model);
answerers.set("rules", answerRules);
candidateFinders.set("rules", ruleCandidates);
