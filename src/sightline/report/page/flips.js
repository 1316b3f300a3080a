// ---- flips: the nearest change of one value that changes the answer

const bits = new DataView(new ArrayBuffer(8));

function nextAbove(value) {
  if (value === 0) return Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

// The last value that a bound lets through and the first that it does not.
function sidesOf({ value, text, excludes }) {
  return [
    { key: `${value}`, value, text: excludes ? `below ${text}` : `${text} or less` },
    { key: `${value}+`, value: nextAbove(value), text: excludes ? `${text} or more` : `above ${text}` },
  ];
}

// Values at which a model may begin to answer otherwise, with the words for them.
function numericCandidates(model, feature) {
  const found = new Map();
  model.test.forEach((test, node) => {
    if (test !== THRESHOLD || model.feature[node] !== feature || model.threshold[node] === ANY_NUMBER) return;
    for (const candidate of sidesOf(bound(model, node))) found.set(candidate.key, candidate);
  });
  return [...found.values()];
}

const candidateFinders = new Map([["nodes", numericCandidates]]);

function nearestFlip(model, row) {
  const before = answer(model, row).best;
  let nearest = null;
  data.columns.forEach((column, feature) => {
    for (const candidate of candidatesOf(model, column, feature, row[feature])) {
      if (nearest && candidate.distance >= nearest.distance) continue;
      const changed = row.slice();
      changed[feature] = candidate.value;
      const best = answer(model, changed).best;
      if (best !== before) nearest = { ...candidate, feature, best };
    }
  });
  return nearest;
}

// Distances are in shares of the column's range; another category counts as half of it.
function candidatesOf(model, column, feature, current) {
  if (current === null) return [];
  if (column.values) {
    return column.values
      .map((name, value) => ({ value, text: name, distance: 0.5 }))
      .filter(({ value }) => value !== current);
  }
  const range = column.high - column.low || 1;
  return candidateFinders.get(model.kind)(model, feature)
    .map((candidate) => ({ ...candidate, distance: Math.abs(candidate.value - current) / range }))
    .sort((a, b) => a.distance - b.distance);
}

function flipSentence(model, row) {
  const flip = nearestFlip(model, row);
  if (!flip) return "No change of a single value would change the answer.";
  return `It would be ${className(flip.best)} if ${data.columns[flip.feature].name} were ${flip.text}.`;
}
