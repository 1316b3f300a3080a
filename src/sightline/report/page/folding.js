// ---- folding: which nodes are drawn

const MAX_OPEN_NODES = 60;

// Open the paths to the leaves of rare classes, then the heaviest nodes. Heavy nodes rarely lead to a rare class, so that
// it would not be seen at all otherwise. Insertion is fast enough for thousands of nodes; millions would need a heap.
function heaviestFirst(model, mostEnds) {
  const folded = new Set();
  model.test.forEach((test, node) => { if (test !== model.kinds.leaf) folded.add(node); });
  const rare = rarePaths(model);
  const waiting = [0];
  let ends = 1;
  while (waiting.length) {
    const node = waiting.pop();
    const below = model.children[node];
    const isWanted = node === 0 || rare.has(node) || ends + below.length - 1 <= mostEnds;
    if (!below.length || !isWanted) continue;
    ends += below.length - 1;
    folded.delete(node);
    for (const child of below) {
      let index = waiting.length;
      while (index > 0 && isBefore(model, rare, waiting[index - 1], child)) index--;
      waiting.splice(index, 0, child);
    }
  }
  return folded;
}

// Whether one node is opened before the other.
function isBefore(model, rare, one, other) {
  return rare.has(one) === rare.has(other) ? model.rows[one] > model.rows[other] : rare.has(one);
}

// The tests above the leaves of rare classes, the heaviest of these leaves first, as many as can be drawn.
function rarePaths(model) {
  const isRare = (node) => model.test[node] === model.kinds.leaf && data.classes[model.best?.[node]]?.is_rare;
  const leaves = model.test.map((_, node) => node).filter(isRare).sort((one, other) => model.rows[other] - model.rows[one]);
  const paths = new Set();
  let ends = 1;
  for (const leaf of leaves) {
    const added = [];
    for (let node = model.parent[leaf]; node >= 0 && !paths.has(node); node = model.parent[node]) added.push(node);
    ends += added.reduce((sum, node) => sum + model.children[node].length - 1, 0);
    if (ends > MAX_OPEN_NODES) break;
    for (const node of added) paths.add(node);
  }
  return paths;
}

// The nodes to draw, parents before children. A node of a graph is drawn where it is first reached;
// elsewhere a reference points to it.
function visibleItems(model, folded) {
  const items = [];
  const waiting = [{ node: 0, parent: -1, level: 0, branch: -1 }];
  const drawn = new Set();
  while (waiting.length) {
    const item = waiting.pop();
    const index = items.length;
    item.isReference = drawn.has(item.node)
      || (item.parent >= 0 && (model.parent[item.node] !== items[item.parent].node || model.branch[item.node] !== item.branch));
    item.key = item.isReference ? `${item.node}-from-${items[item.parent].node}-${item.branch}` : String(item.node);
    item.children = [];
    item.isFolded = !item.isReference && folded.has(item.node);
    items.push(item);
    if (item.parent >= 0) items[item.parent].children.push(index);
    if (item.isReference || item.isFolded) continue;
    drawn.add(item.node);
    const below = model.children[item.node];
    for (let branch = below.length - 1; branch >= 0; branch--) {
      waiting.push({ node: below[branch], parent: index, level: item.level + 1, branch });
    }
  }
  return items;
}
