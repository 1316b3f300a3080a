// ---- answers: what a model says about a row, exactly as Python does

// Rows are arrays over the page's columns: numbers, codes of categories, null where missing.

function branchOf(model, node, value) {
  if (model.test[node] === THRESHOLD) return value <= model.threshold[node] ? 0 : 1;
  if (model.test[node] === SUBSET) return model.values[node].includes(value) ? 0 : 1;
  return value;
}

function firstLargest(values, tolerance) {
  let best = 0;
  for (let place = 1; place < values.length; place++) {
    if (values[place] - values[best] > tolerance) best = place;
  }
  return best;
}

function wholeLeaf(model, row) {
  let node = 0;
  while (model.test[node] !== LEAF) {
    const value = row[model.feature[node]];
    if (value === null) {
      const only = model.shares[node].findIndex((share) => share > 0);
      if (model.shares[node].some((share, branch) => share > 0 && branch !== only)) return -1;
      node = model.children[node][only];
    } else {
      node = model.children[node][branchOf(model, node, value)];
    }
  }
  return node;
}

// Parts of the row at each node that it passes; children have higher numbers than parents.
function partsOf(model, row) {
  const part = new Map([[0, 1]]);
  const waiting = [0];
  while (waiting.length) {
    const node = waiting.shift();
    if (model.test[node] === LEAF) continue;
    const value = row[model.feature[node]];
    const shares = value === null ? model.shares[node] : model.children[node].map((_, branch) => Number(branch === branchOf(model, node, value)));
    shares.forEach((share, branch) => {
      if (!(share > 0)) return;
      const child = model.children[node][branch];
      if (!part.has(child)) insertSorted(waiting, child);
      part.set(child, (part.get(child) ?? 0) + part.get(node) * share);
    });
  }
  return part;
}

function insertSorted(numbers, number) {
  let place = numbers.length;
  while (place > 0 && numbers[place - 1] > number) place--;
  numbers.splice(place, 0, number);
}

function answerNodes(model, row) {
  const leaf = wholeLeaf(model, row);
  if (leaf >= 0) return { best: firstLargest(model.output[leaf], model.tie_tolerance), output: model.output[leaf], leaf };
  const part = partsOf(model, row);
  const output = model.output[0].map(() => 0);
  for (const node of [...part.keys()].sort((a, b) => a - b)) {
    if (model.test[node] !== LEAF) continue;
    model.output[node].forEach((share, place) => { output[place] += part.get(node) * share; });
  }
  return { best: firstLargest(output, model.tie_tolerance), output, leaf: -1 };
}

const answerers = new Map([["nodes", answerNodes]]);

function answer(model, row) {
  return answerers.get(model.kind)(model, row);
}
