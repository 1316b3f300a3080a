// ---- paper: which part of a tree a printed page shows; everything else is printed whole

// A4 without margins and heading, in CSS pixels, and the smallest scale at which print can be read.
const PAPER = { width: 690, height: 820 }, PAPER_SCALE = 0.6, PAPER_MARGIN = 10;
const MAX_ENDS_ON_PAPER = 60;

// Fold and turn a tree until it can be read on paper.
function fitToPaper(view) {
  const { model } = view;
  // Many paths may lead to the few leaves of a graph.
  const allEnds = model.isGraph ? model.test.length : model.leavesBelow[0];
  let ends = Math.min(allEnds, MAX_ENDS_ON_PAPER), scale;
  // Charts are left out if the whole tree can only be read without them.
  view.folded = ends < allEnds ? heaviestFirst(model, ends) : new Set();
  view.hasCharts = true;
  view.hasCharts = Math.max(paperScale(view, "down"), paperScale(view, "right")) >= PAPER_SCALE;
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
  // The table of the leaves holds all paths of a tree; a graph has no such table.
  view.outline.replaceChildren(...(view.folded.size && model.isGraph ? [el("p", { class: "note" }, say("unfold_on_screen"))] : []));
}

function paperScale(view, direction) {
  view.direction = direction;
  view.arrange();
  return Math.min(PAPER.width / view.bounds.width, PAPER.height / view.bounds.height);
}

// Paper cannot unfold anything: all sections are open and all rows of tables are there.
const shownForPrint = new Map();

function openForPrint() {
  for (const section of document.querySelectorAll("details:not([open])")) {
    shownForPrint.set(section, () => { section.open = false; });
    section.open = true;
  }
  for (const table of SortableTable.all) {
    const { shown } = table;
    shownForPrint.set(table, () => { table.shown = shown; table.refresh(); });
    table.shown = Infinity;
    table.refresh();
  }
}

function closeAfterPrint() {
  for (const undo of shownForPrint.values()) undo();
  shownForPrint.clear();
}

addEventListener("beforeprint", openForPrint);
addEventListener("afterprint", closeAfterPrint);
