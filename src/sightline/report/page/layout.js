// ---- layout: where boxes go, as in Python's show/drawing/_tree_layout.py and _tidy.py (Reingold and Tilford), without recursion

const { sizes: SIZES, sibling_gap: SIBLING_GAP, level_gap: LEVEL_GAP } = data.drawing;

// The outline of a placed subtree, deepest level first; `shift` moves all of it in constant time.
function outlineOf(half) {
  return { low: [-half], high: [half], shift: 0 };
}

function distanceBetween(first, second, gap) {
  let distance = -Infinity;
  const common = Math.min(first.low.length, second.low.length);
  for (let level = 1; level <= common; level++) {
    distance = Math.max(distance, first.high.at(-level) + first.shift - second.low.at(-level) - second.shift);
  }
  return distance + gap;
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
function acrossLevels(items, breadth, gap) {
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
      offset[child] = distanceBetween(joined, outlines[child], gap);
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

// The room that the label of the edge to an item needs beside its neighbors.
function labelBreadth({ answer }, isRight) {
  if (!answer) return 0;
  return isRight ? SIZES.line_height * Math.max(1, answer.lines.length) : answer.width;
}

// Where each level starts: after the boxes above and the labels of its edges.
function levelStarts(items, isRight, gap) {
  const deepest = items.reduce((most, { level }) => Math.max(most, level), 0);
  const largest = new Float64Array(deepest + 1), labels = new Float64Array(deepest + 1), starts = new Float64Array(deepest + 1);
  for (const { level, width, height, answer } of items) {
    largest[level] = Math.max(largest[level], isRight ? width : height);
    if (answer) labels[level] = Math.max(labels[level], isRight ? answer.width : SIZES.line_height * (answer.lines.length - 1));
  }
  for (let level = 1; level <= deepest; level++) starts[level] = starts[level - 1] + largest[level - 1] + gap + labels[level];
  return starts;
}

// Give every item x and y; growing "right" or "down".
function layOut(items, direction) {
  const isRight = direction === "right";
  const middle = acrossLevels(items, (item) => Math.max(isRight ? item.height : item.width, labelBreadth(item, isRight)), SIBLING_GAP[direction]);
  const starts = levelStarts(items, isRight, LEVEL_GAP[direction]);
  items.forEach((item, index) => {
    item.x = isRight ? starts[item.level] : middle[index] - item.width / 2;
    item.y = isRight ? middle[index] - item.height / 2 : starts[item.level];
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
