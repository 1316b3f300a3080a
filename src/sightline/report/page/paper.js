// ---- paper: which part of a tree a printed page shows, and the whole tree as text

// A4 without margins and heading, in CSS pixels, and the smallest scale at which print can be read.
const PAPER = { width: 690, height: 820 }, PAPER_SCALE = 0.6, PAPER_MARGIN = 10;
const MAX_ENDS_ON_PAPER = 60, MAX_LINES_ON_PAPER = 400;

// Fold and turn a tree until it can be read on paper.
function fitToPaper(view) {
  const { model } = view;
  // Many paths may lead to the few leaves of a graph.
  const allEnds = model.isGraph ? model.test.length : model.leavesBelow[0];
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
  // Next to the whole tree as text, the table of its leaves is redundant.
  document.body.classList.toggle("outlined", view.folded.size > 0 && !model.isGraph);
}

function paperScale(view, direction) {
  view.direction = direction;
  view.arrange();
  return Math.min(PAPER.width / view.bounds.width, PAPER.height / view.bounds.height);
}

// The nodes of a tree are in depth-first order, and so are the lines. A graph has no such order.
function outlineOfTree(model) {
  if (model.isGraph) return [el("p", { class: "note" }, say("unfold_on_screen"))];
  const lines = [];
  const level = [0];
  for (let node = 1; node < model.test.length; node++) {
    level[node] = level[model.parent[node]] + 1;
    if (lines.length < MAX_LINES_ON_PAPER) lines.push("  ".repeat(level[node] - 1) + outlineText(model, node));
  }
  const hidden = model.test.length - 1 - lines.length;
  if (hidden) lines.push(say("rest_on_screen", { lines: count(hidden, "line") }));
  return [el("h3", null, `The whole ${model.noun} as text`), el("pre", null, lines.join("\n"))];
}

function outlineText(model, node) {
  const condition = model.branch_text[model.parent[node]][model.branch[node]];
  if (isLeaf(model, node)) {
    const evidence = [task().evidenceText(model, node), leafMark(model, node)].filter(Boolean).join(", ");
    return say("leaf_line", { condition, label: task().labelText(model, node), evidence });
  }
  return condition;
}
