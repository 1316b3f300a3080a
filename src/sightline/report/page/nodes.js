// ---- nodes: boxes and edges of the drawing

const TITLE_FONT = "600 13px", DETAIL_FONT = "12px";
const MIN_WIDTH = 90, PADDING = 10;
// Below this scale text cannot be read. Boxes are then plain, so that thousands of them stay fluid.
const PLAIN_SCALE = 0.42;

// Two lines: the feature and the question of a test, the prediction and the evidence of a leaf. The share of a leaf is
// that of its class among its rows, as in text and plots; not the probability that it predicts.
function boxStrings(model, item) {
  const { node } = item;
  const rows = model.rows_text[node];
  if (item.isReference) return { title: say("reference", { node }), detail: questionText(model, node), aside: "" };
  if (!isLeaf(model, node)) return { title: data.columns[model.feature[node]].name, detail: model.question[node], aside: rows };
  return {
    title: [task().labelText(model, node), model.share_text[node]].filter(Boolean).join(" · "),
    detail: [rows, leafMark(model, node)].filter(Boolean).join(" · "), aside: "",
  };
}

function leafMark(model, node) {
  if (model.proof?.[node] === "proved") return say("proved");
  return task().agreementMark(model, node);
}

function measureItem(model, item) {
  const { title, detail, aside } = boxStrings(model, item);
  const inside = task().maxWidth - 2 * PADDING - 2;
  item.fullText = [title, model.complete?.[detail] ?? detail, aside].filter(Boolean).join(", ");
  item.aside = aside;
  const besides = aside ? textWidth(aside, DETAIL_FONT) + 12 : 0;
  item.title = cutTo(title, inside, TITLE_FONT);
  // Names may be cut, but not numbers.
  item.detail = cutTo(detail, inside, DETAIL_FONT);
  const wide = Math.max(textWidth(item.title, TITLE_FONT), textWidth(item.detail, DETAIL_FONT) + besides);
  item.width = Math.max(MIN_WIDTH, Math.ceil(wide) + 2 * PADDING + 2);
  item.height = task().boxHeight;
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
  const box = svg("rect", { class: "box", width: item.width, height: item.height, rx: 6 });
  group.append(box);
  if (isEnd) {
    const stripe = svg("rect", { class: "stripe", width: 6, height: item.height, rx: 3 });
    stripe.style.fill = task().color(model, item.node);
    group.append(stripe);
  }
  if (isPlain) return group;
  group.append(
    svg("title", null, `${item.fullText}\n${pathSentence(model, item.node)}`),
    svg("text", { class: "title", x: PADDING + 2, y: 18 }, item.title),
    svg("text", { class: isEnd ? "detail" : "question", x: PADDING + 2, y: 34 }, item.detail),
    item.aside ? svg("text", { class: "detail", x: item.width - PADDING, y: 34, "text-anchor": "end" }, item.aside) : "",
    task().drawStrip(model, item),
  );
  return group;
}

// The knob that folds and unfolds, on the side to which the tree grows. Folded, it shows how many leaves it hides.
function drawKnob(model, item, direction) {
  const [x, y] = direction === "right" ? [item.width, item.height / 2] : [item.width / 2, item.height];
  const label = item.isFolded ? `+${grouped.format(model.leavesBelow[item.node])}` : "−";
  const wide = item.isFolded ? textWidth(label, "600 11px") + 10 : 14;
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
  const bend = direction === "right"
    ? `C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`
    : `C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
  const thickness = 1.5 + 11 * (Math.min(model.rows[above.node], model.rows[item.node]) / (model.rows[0] || 1));
  const group = svg("g", { class: "edge", "data-edge": item.key },
    svg("path", { d: `M${x1} ${y1}${bend}`, "stroke-width": thickness.toFixed(1) }));
  if (isPlain) return group;
  const label = answerText(model, above.node, item.branch);
  const at = direction === "right" ? { x: x2 - 9, y: y2 - 7, "text-anchor": "end" } : { x: x2, y: y2 - 9, "text-anchor": "middle" };
  const room = direction === "right" ? 52 : 110;
  const full = svg("title", null, model.branch_text[above.node][item.branch]);
  group.append(svg("text", { class: "answer", ...at }, full, cutTo(label, room, DETAIL_FONT)));
  return group;
}
