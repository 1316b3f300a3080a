// ---- folding: which nodes are drawn

const MAX_OPEN_NODES = 60;

// Open the heaviest nodes first. Insertion is fast enough for thousands of nodes; millions would need a heap.
function heaviestFirst(model, mostEnds) {
  const folded = new Set();
  model.test.forEach((test, node) => { if (test !== model.kinds.leaf) folded.add(node); });
  const waiting = [0];
  let ends = 1;
  while (waiting.length) {
    const node = waiting.pop();
    const below = model.children[node];
    if (!below.length || (ends + below.length - 1 > mostEnds && node !== 0)) continue;
    ends += below.length - 1;
    folded.delete(node);
    for (const child of below) {
      let index = waiting.length;
      while (index > 0 && model.rows[waiting[index - 1]] > model.rows[child]) index--;
      waiting.splice(index, 0, child);
    }
  }
  return folded;
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
