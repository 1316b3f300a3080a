// ---- layout: tidy positions for boxes (Reingold and Tilford), without recursion

const GAP = 14;

// The outline of a placed subtree, deepest level first; `shift` moves all of it in constant time.
function outlineOf(half) {
  return { low: [-half], high: [half], shift: 0 };
}

function distanceBetween(first, second) {
  let distance = -Infinity;
  const common = Math.min(first.low.length, second.low.length);
  for (let level = 1; level <= common; level++) {
    distance = Math.max(distance, first.high.at(-level) + first.shift - second.low.at(-level) - second.shift);
  }
  return distance + GAP;
}

function joinOutlines(first, second, distance) {
  second.shift += distance;
  const common = Math.min(first.low.length, second.low.length);
  const [kept, other, side] = first.low.length >= second.low.length ? [first, second, "high"] : [second, first, "low"];
  for (let level = 1; level <= common; level++) {
    kept[side][kept[side].length - level] = other[side].at(-level) + other.shift - kept.shift;
  }
  return kept;
}

// Position items across the levels: each parent in the middle of its children.
function acrossLevels(items, breadth) {
  const offset = new Float64Array(items.length);
  const outlines = new Array(items.length);
  for (let index = items.length - 1; index >= 0; index--) {
    const half = breadth(items[index]) / 2;
    const below = items[index].children;
    if (!below.length) {
      outlines[index] = outlineOf(half);
      continue;
    }
    let joined = outlines[below[0]];
    for (const child of below.slice(1)) {
      offset[child] = distanceBetween(joined, outlines[child]);
      joined = joinOutlines(joined, outlines[child], offset[child]);
    }
    const center = offset[below.at(-1)] / 2;
    for (const child of below) offset[child] -= center;
    joined.shift -= center;
    joined.low.push(-half - joined.shift);
    joined.high.push(half - joined.shift);
    outlines[index] = joined;
  }
  const middle = new Float64Array(items.length);
  for (let index = 1; index < items.length; index++) middle[index] = middle[items[index].parent] + offset[index];
  return middle;
}

// Give every item x, y, width and height; growing "right" or "down".
function layOut(items, direction) {
  const isRight = direction === "right";
  const middle = acrossLevels(items, (item) => (isRight ? item.height : item.width));
  const deepest = Math.max(...items.map((item) => item.level));
  const extent = new Float64Array(deepest + 1);
  for (const item of items) extent[item.level] = Math.max(extent[item.level], isRight ? item.width : item.height);
  const start = new Float64Array(deepest + 2);
  for (let level = 0; level <= deepest; level++) start[level + 1] = start[level] + extent[level] + (isRight ? 62 : 46);
  items.forEach((item, index) => {
    item.x = isRight ? start[item.level] : middle[index] - item.width / 2;
    item.y = isRight ? middle[index] - item.height / 2 : start[item.level];
  });
  return boundsOf(items);
}

function boundsOf(items) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const item of items) {
    left = Math.min(left, item.x);
    top = Math.min(top, item.y);
    right = Math.max(right, item.x + item.width);
    bottom = Math.max(bottom, item.y + item.height);
  }
  return { left, top, width: right - left, height: bottom - top };
}
