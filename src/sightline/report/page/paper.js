// ---- paper: what of a tree is drawn on a page that is printed, and the rest of it as text

// What A4 leaves beside margins and heading, in CSS pixels; below the scale nobody reads without a glass.
const PAPER = { width: 690, height: 820 }, PAPER_SCALE = 0.6, PAPER_MARGIN = 10;
const MAX_ENDS_ON_PAPER = 60, MAX_LINES_ON_PAPER = 400;

// Fold a view of a tree, and turn it, until it can be read on paper.
function fitToPaper(view) {
  const { model } = view;
  // A graph of few leaves may have many ways to them.
  const allEnds = isGraph(model) ? model.test.length : model.leavesBelow[0];
  let ends = Math.min(allEnds, MAX_ENDS_ON_PAPER), scale;
  for (; ;) {
    view.folded = ends < allEnds ? heaviestFirst(model, ends) : new Set();
    const scales = { down: paperScale(view, "down"), right: paperScale(view, "right") };
    scale = paperScale(view, scales.down >= scales.right ? "down" : "right");
    if (scale >= PAPER_SCALE || ends <= 6) break;
    ends -= Math.max(1, Math.floor(ends / 10));
  }
  const { left, top, width, height } = view.bounds;
  const box = [left - PAPER_MARGIN, top - PAPER_MARGIN, width + 2 * PAPER_MARGIN, height + 2 * PAPER_MARGIN];
  view.frame.setAttribute("viewBox", box.join(" "));
  view.frame.style.height = `${Math.ceil(box[3] * Math.min(1, scale))}px`;
  view.outline.replaceChildren(...(view.folded.size ? outlineOfTree(model) : []));
  // Who reads the whole as text needs no second list of its leaves.
  document.body.classList.toggle("outlined", view.folded.size > 0 && !isGraph(model));
}

function paperScale(view, direction) {
  view.direction = direction;
  view.arrange();
  return Math.min(PAPER.width / view.bounds.width, PAPER.height / view.bounds.height);
}

function isGraph(model) {
  return model.isShared.some(Boolean);
}

// Nodes come depth first, so the lines do; a graph has no such order.
function outlineOfTree(model) {
  if (isGraph(model)) return [el("p", { class: "note" }, "What is folded away here can be opened on the screen.")];
  const lines = [];
  const level = [0];
  for (let node = 1; node < model.test.length; node++) {
    level[node] = level[model.parent[node]] + 1;
    if (lines.length < MAX_LINES_ON_PAPER) lines.push("  ".repeat(level[node] - 1) + outlineText(model, node));
  }
  const hidden = model.test.length - 1 - lines.length;
  if (hidden) lines.push(`… and ${counted(hidden, "more line")}, on the screen.`);
  return [el("h3", null, `The whole ${model.noun} as text`), el("pre", null, lines.join("\n"))];
}

function outlineText(model, node) {
  const condition = branchText(model, model.parent[node], model.branch[node]);
  if (model.test[node] !== LEAF) return condition;
  const rows = model.rows[node] ? `${percent(shareOfBest(model, node))} of ${counted(model.rows[node], "row")}` : "no row";
  return `${condition}: ${className(model.best[node])} (${[rows, leafMark(model, node)].filter(Boolean).join(", ")})`;
}
