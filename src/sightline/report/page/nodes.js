// ---- nodes: boxes and edges of the drawing

const TITLE_FONT = "600 13px", DETAIL_FONT = "12px";
const MOST_WIDTH = 230, LEAST_WIDTH = 96, PADDING = 10;
// Below this scale texts could not be read: boxes are plain then, and thousands of them stay fluid.
const PLAIN_SCALE = 0.42;

function boxTitle(model, item) {
  const { node } = item;
  if (item.isReference) return `as above: ${questionText(model, node)}`;
  if (model.test[node] !== LEAF) return `${questionText(model, node)}${model.test[node] === MULTIWAY ? "" : "?"}`;
  return `${className(model.best[node])} ${percent(Math.max(...model.output[node]))}`;
}

function leafMark(model, node) {
  if (model.proof?.[node] === "proved") return "✓ proved";
  if (!model.agreed) return "";
  if (!model.seen[node]) return "not seen";
  return `${percent(model.agreed[node] / model.seen[node])} agree`;
}

function boxDetail(model, item) {
  const { node } = item;
  const rows = counted(model.rows[node], "row");
  if (item.isReference) return `node ${node}`;
  if (item.isFolded) return `${rows}, ${counted(model.leavesBelow[node], "leaf", "leaves")} folded`;
  if (model.test[node] !== LEAF) return rows;
  const mark = leafMark(model, node);
  return mark ? `${rows} · ${mark}` : rows;
}

function measureItem(model, item) {
  item.fullTitle = boxTitle(model, item);
  item.detail = boxDetail(model, item);
  item.title = cutTo(item.fullTitle, MOST_WIDTH - 2 * PADDING, TITLE_FONT);
  const wide = Math.max(textWidth(item.title, TITLE_FONT), textWidth(item.detail, DETAIL_FONT));
  item.width = Math.max(LEAST_WIDTH, Math.ceil(wide) + 2 * PADDING + 6);
  item.height = BOX_HEIGHT;
}

function boxClasses(model, item) {
  const isLeaf = model.test[item.node] === LEAF;
  const proof = isLeaf && !item.isReference ? model.proof?.[item.node] : null;
  return ["node", isLeaf ? "leaf" : "test", item.isReference ? "reference" : "", item.isFolded ? "folded" : "", proof ?? ""]
    .filter(Boolean).join(" ");
}

function drawBox(model, item, isPlain) {
  const isLeaf = model.test[item.node] === LEAF;
  const group = svg("g", {
    class: boxClasses(model, item), id: `node-${item.key}`, "data-key": item.key, role: "treeitem",
    transform: `translate(${item.x.toFixed(1)} ${item.y.toFixed(1)})`,
    "aria-level": item.level + 1, "aria-label": `${item.fullTitle}, ${item.detail}`,
    "aria-expanded": isLeaf || item.isReference ? null : String(!item.isFolded),
  });
  const box = svg("rect", { class: "box", width: item.width, height: item.height, rx: 6 });
  group.append(box);
  if (isLeaf) {
    const stripe = svg("rect", { class: "stripe", width: 6, height: item.height, rx: 3 });
    stripe.style.fill = colourOf(model.best[item.node]);
    group.append(stripe);
  }
  if (isPlain) return group;
  group.append(
    svg("title", null, `${item.fullTitle}\n${item.detail}\n${pathSentence(model, item.node)}`),
    svg("text", { class: "title", x: PADDING + 2, y: 19 }, item.title),
    svg("text", { class: "detail", x: PADDING + 2, y: 35 }, item.detail),
    drawMix(model, item),
  );
  return group;
}

function drawMix(model, item) {
  const bar = svg("g", { class: "bar" });
  let left = PADDING + 2;
  const inside = item.width - 2 * PADDING - 2;
  model.mix[item.node].forEach((share, place) => {
    if (share <= 0) return;
    const piece = svg("rect", { x: left.toFixed(2), y: 41, width: (share * inside).toFixed(2), height: 4 });
    piece.style.fill = colourOf(place);
    bar.append(piece);
    left += share * inside;
  });
  return bar;
}

// The knob that folds and unfolds, on the side to which the tree grows.
function drawKnob(item, direction) {
  const [x, y] = direction === "right" ? [item.width, item.height / 2] : [item.width / 2, item.height];
  return svg("g", { class: "knob", transform: `translate(${x} ${y})` },
    svg("circle", { r: 11, class: "touch" }),
    svg("circle", { r: 7 }),
    svg("path", { d: item.isFolded ? "M-3.5 0H3.5M0 -3.5V3.5" : "M-3.5 0H3.5" }));
}

function edgeEnds(above, item, direction) {
  return direction === "right"
    ? [above.x + above.width, above.y + above.height / 2, item.x, item.y + item.height / 2]
    : [above.x + above.width / 2, above.y + above.height, item.x + item.width / 2, item.y];
}

function drawEdge(model, above, item, direction, isPlain) {
  const [x1, y1, x2, y2] = edgeEnds(above, item, direction);
  const bend = direction === "right"
    ? `C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`
    : `C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
  const thickness = 1.5 + 12 * Math.sqrt((model.rows[item.node] ?? 0) / (model.rows[0] || 1)) ** 2;
  const group = svg("g", { class: "edge", "data-edge": item.key },
    svg("path", { d: `M${x1} ${y1}${bend}`, "stroke-width": thickness.toFixed(1) }));
  if (isPlain) return group;
  const label = answerText(model, above.node, item.branch);
  const at = direction === "right" ? { x: x2 - 9, y: y2 - 7, "text-anchor": "end" } : { x: x2, y: y2 - 9, "text-anchor": "middle" };
  group.append(svg("text", { class: "answer", ...at }, svg("title", null, branchText(model, above.node, item.branch)), cutTo(label, direction === "right" ? 52 : 110, DETAIL_FONT)));
  return group;
}
