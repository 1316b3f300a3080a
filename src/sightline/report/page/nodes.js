// ---- nodes: boxes and edges of the drawing, with the lines and sizes that Python gave them

const TITLE_FONT = "600 13px", DETAIL_FONT = "12px";
// Below this scale text cannot be read. Boxes are then plain, so that thousands of them stay fluid.
const PLAIN_SCALE = 0.42;

// Lines, chart and size of an item; in a graph, an item may only refer to a node that is drawn elsewhere.
function measureItem(model, item, above, hasCharts) {
  const { node } = item;
  item.answer = above ? model.answers[above.node][item.branch] : null;
  if (item.isReference) {
    const text = say("reference", { node });
    Object.assign(item, { lines: [[text, "title"]], chart: null, width: textWidth(text, TITLE_FONT) + 2 * SIZES.padding, height: 2 * SIZES.box_padding + SIZES.box_line });
  } else {
    const { lines, size, compact, chart } = model.boxes[node];
    const [width, height] = hasCharts ? size : compact;
    Object.assign(item, { lines, width, height, chart: hasCharts && chart ? { ...chart, ends: model.axes[chart.axis] } : null });
  }
  const [first] = item.isReference ? [] : model.branch_text[node];
  item.fullText = model.complete?.[first] ?? item.lines.map(([text]) => text).join(" ");
}

function boxClasses(model, item) {
  const proof = isLeaf(model, item.node) && !item.isReference ? model.proof?.[item.node] : null;
  return ["node", isLeaf(model, item.node) ? "leaf" : "test", item.isReference ? "reference" : "", item.isFolded ? "folded" : "", proof ?? ""]
    .filter(Boolean).join(" ");
}

function drawBox(model, item, isPlain) {
  const isEnd = isLeaf(model, item.node);
  const group = svg("g", {
    class: boxClasses(model, item), id: `node-${item.key}`, "data-key": item.key, role: "treeitem",
    transform: `translate(${item.x.toFixed(1)} ${item.y.toFixed(1)})`,
    "aria-level": item.level + 1, "aria-label": item.fullText,
    "aria-expanded": isEnd || item.isReference ? null : String(!item.isFolded),
  });
  const box = svg("rect", { class: "box", width: item.width, height: item.height, rx: 5 });
  if (isEnd && !item.isReference) box.style.setProperty("--answer", task().color(model, item.node));
  group.append(box);
  if (isPlain) return group;
  group.append(
    svg("title", null, `${item.fullText}\n${pathSentence(model, item.node)}`),
    ...item.lines.map(([text, style], index) => lineOfBox(text, style, index, item.width)));
  if (!item.isReference && !(item.chart && isEnd)) group.append(drawBar(model, item));
  if (item.chart) group.append(drawChart(item.chart, item.width, item.height));
  return group;
}

// A font may be wider than Python's estimate; the text is then pressed together instead of leaving its box.
function lineOfBox(text, style, index, width) {
  const room = width - 2 * SIZES.padding;
  const isWide = textWidth(text, style === "title" ? TITLE_FONT : DETAIL_FONT) > room;
  return svg("text", {
    class: style, x: SIZES.padding, y: SIZES.box_padding + 12 + SIZES.box_line * index,
    textLength: isWide ? room : null, lengthAdjust: isWide ? "spacingAndGlyphs" : null,
  }, text);
}

// The mix of classes, or how far up the scale a number is.
function drawBar(model, item) {
  const bar = svg("g", { class: "bar" });
  const inside = item.width - 2 * SIZES.padding;
  const y = SIZES.box_padding + SIZES.box_line * item.lines.length + SIZES.box_gap;
  let left = SIZES.padding;
  for (const [share, color] of task().barOf(model, item.node)) {
    const piece = svg("rect", { x: left.toFixed(2), y, width: (share * inside).toFixed(2), height: SIZES.bar_height });
    piece.style.fill = color;
    bar.append(piece);
    left += share * inside;
  }
  return bar;
}

// The values of the tested column among the rows here, with a mark at the threshold.
function drawChart({ bars, marks, ends, height: tallest }, width, height) {
  const inside = width - 2 * SIZES.padding;
  const bottom = height - SIZES.box_padding - (ends ? SIZES.axis_height : 0), top = bottom - tallest;
  const at = (share) => SIZES.padding + share * inside;
  const group = svg("g", { class: "chart-of-node" });
  for (const [left, wide, parts] of bars) {
    let y = bottom;
    for (const [share, key] of parts) {
      const tall = share * tallest;
      y -= tall;
      const piece = svg("rect", { x: at(left).toFixed(2), y: y.toFixed(2), width: (wide * inside).toFixed(2), height: tall.toFixed(2) });
      piece.style.fill = task().colorOfKey(key);
      group.append(piece);
    }
  }
  group.append(svg("path", { class: "ground", d: `M${at(0)} ${bottom}H${at(1)}` }));
  for (const mark of marks) group.append(svg("path", { class: "threshold", d: `M${at(mark).toFixed(1)} ${top - 2}V${bottom}l-4 ${SIZES.mark_height}h8l-4 -${SIZES.mark_height}` }));
  if (ends) {
    const y = bottom + SIZES.axis_height - 3;
    group.append(svg("text", { class: "detail", x: at(0), y }, ends[0]), svg("text", { class: "detail", x: at(1), y, "text-anchor": "end" }, ends[1]));
  }
  return group;
}

// The knob that folds and unfolds, on the side to which the tree grows. Folded, it shows how many leaves it hides;
// in a graph, these can be reached by other paths, too.
function drawKnob(model, item, direction) {
  const [x, y] = direction === "right" ? [item.width, item.height / 2] : [item.width / 2, item.height];
  const hidden = model.isGraph ? "" : grouped.format(model.leavesBelow[item.node]);
  const label = item.isFolded ? `+${hidden}` : "−";
  const wide = item.isFolded ? textWidth(label, "600 12px") + 10 : 14;
  return svg("g", { class: "knob", transform: `translate(${x} ${y})` },
    svg("circle", { r: 13, class: "touch" }),
    svg("rect", { x: direction === "right" && item.isFolded ? -7 : -wide / 2, y: -7.5, width: wide, height: 15, rx: 7.5 }),
    svg("text", { x: direction === "right" && item.isFolded ? wide / 2 - 7 : 0, y: 4, "text-anchor": "middle" }, label));
}

function edgeEnds(above, item, direction) {
  return direction === "right"
    ? [above.x + above.width, above.y + above.height / 2, item.x, item.y + item.height / 2]
    : [above.x + above.width / 2, above.y + above.height, item.x + item.width / 2, item.y];
}

function drawEdge(model, above, item, direction, isPlain) {
  const [x1, y1, x2, y2] = edgeEnds(above, item, direction);
  const isRight = direction === "right";
  const bend = isRight
    ? `C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`
    : `C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
  const share = Math.min(model.rows[above.node], model.rows[item.node]) / (model.rows[0] || 1);
  const thickness = SIZES.min_edge + (SIZES.max_edge - SIZES.min_edge) * share;
  const group = svg("g", { class: "edge", "data-edge": item.key },
    svg("path", { d: `M${x1} ${y1}${bend}`, "stroke-width": thickness.toFixed(1) }));
  if (isPlain || !item.answer) return group;
  const { lines, width } = item.answer, tall = SIZES.line_height;
  const [x, y] = isRight ? [x2 - SIZES.padding - width / 2, y2] : [x2, y2 - (tall * (lines.length + 1)) / 2];
  const first = y + 4 - (tall * (lines.length - 1)) / 2;
  group.append(svg("text", { class: "answer", "text-anchor": "middle" },
    svg("title", null, wayText(model, above.node, item.branch)),
    lines.map((line, index) => svg("tspan", { x, y: first + tall * index }, line))));
  return group;
}
