// ---- flips: the nearest change of one value that changes the label

const bits = new DataView(new ArrayBuffer(8));

function nextAbove(value) {
  if (value === 0) return Number.MIN_VALUE;
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}

// Numbers on both sides of each bound at which a model may change its label, with the words for them.
function turnsOf(model, feature) {
  return model.turns.filter(([tested]) => tested === feature)
    .flatMap(([, value, below, above]) => [{ value, text: below }, { value: nextAbove(value), text: above }]);
}

function nearestFlip(model, row) {
  const before = predict(model, row).best;
  let nearest = null;
  data.columns.forEach((column, feature) => {
    for (const candidate of candidatesOf(model, column, feature, row[feature])) {
      if (nearest && candidate.distance >= nearest.distance) continue;
      const changed = row.slice();
      changed[feature] = candidate.value;
      const { best } = predict(model, changed);
      if (best !== before) nearest = { ...candidate, best };
    }
  });
  return nearest;
}

// Distances are shares of the column's range; another category counts as half of it.
function candidatesOf(model, column, feature, current) {
  if (current === null) return [];
  if (column.values) {
    return column.values
      .flatMap((name, value) => (name === null ? [] : [{ name, value }]))
      .map(({ name, value }) => ({ value, text: say("equals", { name: column.name, value: name }), distance: 0.5 }))
      .filter(({ value }) => value !== current);
  }
  const range = column.high - column.low || 1;
  return turnsOf(model, feature)
    .map((candidate) => ({ ...candidate, distance: Math.abs(candidate.value - current) / range }))
    .sort((a, b) => a.distance - b.distance);
}

function flipSentence(model, row) {
  const flip = nearestFlip(model, row);
  return flip ? say("flip", { label: answerName(flip.best), condition: flip.text }) : say("no_flip");
}
