// ---- tree: the drawing; only nodes inside the window are drawn

// Text is then at least 11 pixels high.
const READABLE_SCALE = 11 / 12;
// Leaves of rare classes are shown at once, even if one has to come closer to read them.
const SMALL_SCALE = 0.35;
// A small tree is shown whole, even if the page has to scroll; of a larger one, as much as fits a tall window.
// The root of a tree that grows to the right is in the middle, and should be on the first screen.
const SMALL_TREE = 20, MAX_CANVAS = { down: 2400, right: 1200, large: 1000 };

class TreeView {
  // Shows the page's current model, or one that stays.
  constructor(section, fixed = null) {
    this.drawn = new Map();
    this.lit = new Set();
    this.matches = null;
    this.focus = "0";
    this.edges = svg("g", { class: "edges" });
    this.boxes = svg("g", { class: "nodes", role: "presentation" });
    this.moving = svg("g", { role: "presentation" }, this.edges, this.boxes);
    this.frame = svg("svg", {
      class: "drawing", tabindex: 0, role: "tree", "aria-label": `The ${(fixed ?? state.model).noun}. Arrow keys move, Enter folds, plus and minus zoom.`,
      "aria-activedescendant": "node-0",
    }, this.moving);
    this.status = el("p", { class: "status" });
    this.outline = el("div", { class: "outline" });
    this.view = new Viewport(this.frame, () => this.draw());
    this.canvas = el("div", { class: "canvas" }, this.frame);
    this.bench = section.closest(".workbench");
    this.hasCharts = true;
    section.append(this.toolbar(), this.canvas, el("div", { class: "foot" }, this.status, task().legend()), this.outline);
    this.listen();
    if (!fixed) state.on("model", (model) => this.show(model));
    this.show(fixed ?? state.model);
  }

  toolbar() {
    this.search = el("input", {
      type: "search", placeholder: task().searchHint, "aria-label": "Search in the tree",
      oninput: () => this.find(this.search.value),
    });
    this.found = el("span", { class: "found", role: "status" });
    this.turn = button("Grow down", () => this.setDirection(this.direction === "right" ? "down" : "right"));
    this.charts = button("Compact", () => this.setMode(!this.hasCharts, this.isWide), { title: "With or without the distribution of each column" });
    this.widen = button("Wide", () => { this.isWideByHand = !this.isWide; this.setMode(this.hasCharts, !this.isWide); }, { title: "Use the whole width; the panels move below", class: "widen" });
    return el("div", { class: "toolbar" },
      this.search, this.found, el("span", { class: "space" }),
      button("−", () => this.view.zoom(1 / 1.3), { "aria-label": "Zoom out", class: "icon" }),
      button("+", () => this.view.zoom(1.3), { "aria-label": "Zoom in", class: "icon" }),
      button("Fit", () => this.fit()),
      button("Open all", () => this.openAll()), button("Fold", () => this.foldToReadable()), this.turn, data.rows.n_total ? this.charts : "", this.bench ? this.widen : "");
  }

  listen() {
    this.frame.addEventListener("click", (event) => this.click(event));
    this.frame.addEventListener("dblclick", (event) => {
      const item = this.itemAt(event);
      if (item && !event.target.closest(".knob")) this.toggle(item);
    });
    this.frame.addEventListener("pointerover", (event) => this.hover(this.itemAt(event)));
    this.frame.addEventListener("pointerleave", () => this.hover(null));
    this.frame.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.view.changed()).observe(this.frame);
    addEventListener("hashchange", () => this.followHash());
    addEventListener("beforeprint", () => this.spreadForPrint(true));
    addEventListener("afterprint", () => this.spreadForPrint(false));
    state.on("row", (row) => this.light(row));
    state.on("panel", (kind) => this.makeRoomFor(kind));
    state.on("goto", (node) => this.goTo(node));
  }

  // ---- what is shown

  show(model) {
    this.model = model;
    this.focus = "0";
    this.chooseMode();
    this.foldToReadable();
    this.light(state.row);
    if (this.search.value) this.find(this.search.value);
    this.select("0");
    this.followHash();
  }

  // With charts beside the panels if all of it can be read so, else in the whole width, else without charts.
  chooseMode() {
    const modes = [[true, false], [true, true], [false, false], [false, true]];
    const shownIn = ([hasCharts, isWide]) => {
      this.hasCharts = hasCharts;
      this.widenBench(isWide);
      this.direction = this.betterDirection();
      return this.readableEnds();
    };
    const all = Math.min(this.model.isGraph ? this.model.test.length : this.model.leavesBelow[0], MAX_OPEN_NODES / 2);
    const mode = modes.find((one) => shownIn(one) >= all) ?? [true, false];
    shownIn(mode);
  }

  get isWide() { return this.bench?.classList.contains("wide") ?? true; }

  widenBench(isWide) {
    this.bench?.classList.toggle("wide", isWide);
  }

  // A row that is tried lights up its path: both have to be seen at once.
  makeRoomFor(kind) {
    if (kind !== "whatif" || !this.bench || !this.isWide || this.isWideByHand) return;
    this.setMode(this.hasCharts, false);
    this.bench.scrollIntoView({ block: "start" });
  }

  setMode(hasCharts, isWide) {
    this.hasCharts = hasCharts;
    this.widenBench(isWide);
    this.refresh();
    this.fit();
  }

  // The direction in which more of it can be read at once.
  betterDirection() {
    const endsOf = (direction) => {
      this.direction = direction;
      const ends = this.readableEnds();
      const scale = this.scaleToFit();
      return scale < READABLE_SCALE ? scale - 1 : ends + Math.min(1, scale) - (this.bounds.height * scale) / 1e4;
    };
    return endsOf("down") > endsOf("right") ? "down" : "right";
  }

  // The scale at which the whole fits the width and the tallest canvas.
  scaleToFit() {
    const isSmall = this.model.leavesBelow[0] <= SMALL_TREE && !this.model.isGraph;
    return this.view.scaleToFit(this.bounds, Math.max(this.leastHeight, MAX_CANVAS[isSmall ? this.direction : "large"]));
  }

  get leastHeight() { return parseFloat(getComputedStyle(this.canvas).minHeight) || 420; }

  // Make the canvas as high as the drawing needs, and show the whole.
  fit() {
    const height = this.bounds.height * Math.min(1, this.scaleToFit()) + 2 * this.view.margin;
    this.canvas.style.height = `${Math.ceil(Math.max(this.leastHeight, height))}px`;
    this.view.fit(this.bounds);
  }

  // Open as much of the heaviest part as can be read at a glance; return the number of ends.
  readableEnds() {
    let ends = MAX_OPEN_NODES / 2;
    for (; ;) {
      this.folded = heaviestFirst(this.model, ends);
      this.arrange();
      if (ends <= 6 || this.scaleToFit() >= READABLE_SCALE) return this.scaleToFit() >= READABLE_SCALE ? ends : 0;
      ends -= Math.max(1, Math.floor(ends / 10));
    }
  }

  foldToReadable() {
    this.readableEnds();
    this.refresh();
    if (this.overlook(rarePaths(this.model).size ? SMALL_SCALE : READABLE_SCALE)) return;
    this.resting += ` ${say("drag")}`;
    this.status.textContent = this.resting;
  }

  // Show the whole if it fits at this scale, otherwise start at the root; return whether it fits.
  overlook(leastScale) {
    if (this.scaleToFit() >= leastScale) {
      this.fit();
      return true;
    }
    this.canvas.style.height = `${this.leastHeight}px`;
    this.view.startAt(this.items[0], this.direction);
    return false;
  }

  openAll() {
    this.folded = new Set();
    this.refresh();
    this.overlook(0.2);
  }

  setDirection(direction) {
    this.direction = direction;
    this.refresh();
    this.fit();
  }

  arrange() {
    this.items = visibleItems(this.model, this.folded);
    for (const item of this.items) measureItem(this.model, item, this.items[item.parent], this.hasCharts);
    this.bounds = layOut(this.items, this.direction);
    this.byKey = new Map(this.items.map((item) => [item.key, item]));
  }

  refresh() {
    this.arrange();
    this.clear();
    this.turn.textContent = this.direction === "right" ? "Grow down" : "Grow right";
    this.charts.textContent = this.hasCharts ? "Compact" : "Charts";
    this.widen.textContent = this.isWide ? "Narrow" : "Wide";
    this.resting = this.shownPart();
    if (this.model.precision) this.resting += ` ${capitalized(this.model.precision)}.`;
    if (this.model.label_rule) this.resting += ` ${this.model.label_rule}`;
    if (this.model.missing_note) this.resting += ` ${this.model.missing_note}`;
    this.status.textContent = this.resting;
    if (!this.byKey.has(this.focus)) this.select("0");
    this.view.changed();
  }

  // How much of the model is drawn: of a graph, whose paths share few leaves, how many nodes.
  shownPart() {
    const { model } = this, hidden = this.items.filter((item) => item.isFolded);
    if (!hidden.length) return say("all_leaves", { leaves: count(model.leavesBelow[0], "leaf") });
    if (model.isGraph) {
      const shown = this.items.filter((item) => !item.isReference).length;
      return say("some_nodes", { n: grouped.format(shown), nodes: count(model.test.length, "node") });
    }
    const folded = hidden.reduce((sum, item) => sum + model.leavesBelow[item.node], 0);
    return say("some_leaves", { leaves: count(model.leavesBelow[0] - folded, "leaf"), n: grouped.format(folded) });
  }

  // ---- drawing

  clear() {
    this.boxes.replaceChildren();
    this.edges.replaceChildren();
    this.drawn.clear();
  }

  draw() {
    const { x, y, scale } = this.view;
    this.moving.setAttribute("transform", this.isPrinting ? "" : `translate(${x} ${y}) scale(${scale})`);
    const isPlain = !this.isPrinting && scale < PLAIN_SCALE && this.items.length > 150;
    if (isPlain !== this.isPlain) this.clear();
    this.isPlain = isPlain;
    const seen = this.isPrinting ? { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity } : this.view.window;
    for (const item of this.items) {
      const above = item.parent < 0 ? null : this.items[item.parent];
      const isSeen = overlaps(seen, above ? union(above, item) : item);
      if (isSeen && !this.drawn.has(item.key)) this.add(item, above);
      else if (!isSeen && this.drawn.has(item.key) && item.key !== this.focus) this.remove(item.key);
    }
  }

  add(item, above) {
    const box = drawBox(this.model, item, this.isPlain);
    if (!item.isReference && !isLeaf(this.model, item.node) && !this.isPlain) box.append(drawKnob(this.model, item, this.direction));
    const edge = above ? drawEdge(this.model, above, item, this.direction, this.isPlain) : null;
    this.boxes.append(box);
    if (edge) this.edges.append(edge);
    this.drawn.set(item.key, { box, edge });
    this.paint(item);
  }

  remove(key) {
    const { box, edge } = this.drawn.get(key);
    box.remove();
    edge?.remove();
    this.drawn.delete(key);
  }

  paint(item) {
    const { box, edge } = this.drawn.get(item.key) ?? {};
    if (!box) return;
    const above = item.parent < 0 ? null : this.items[item.parent];
    const isLit = this.lit.has(item.node) && (!above || this.lit.has(above.node)) && !item.isReference;
    const marks = {
      lit: isLit, focus: item.key === this.focus, hovered: this.path?.has(item.key) ?? false,
      match: this.matches?.has(item.node) ?? false, dim: this.matches ? !this.matches.has(item.node) : this.lit.size > 0 && !isLit,
    };
    for (const [name, holds] of Object.entries(marks)) {
      box.classList.toggle(name, holds);
      edge?.classList.toggle(name, name !== "focus" && holds);
    }
    if (edge && isLit) this.edges.append(edge);
    box.setAttribute("aria-selected", String(item.key === this.focus));
  }

  repaint() {
    for (const item of this.items) this.paint(item);
  }

  // ---- looking at nodes

  itemAt(event) {
    const box = event.target.closest?.(".node");
    return box ? this.byKey.get(box.dataset.key) : null;
  }

  click(event) {
    this.frame.focus({ preventScroll: true });
    const item = this.itemAt(event);
    if (!item || this.view.moved) return;
    if (item.isReference) this.goTo(item.node);
    else if (event.target.closest(".knob")) this.toggle(item);
    else this.select(item.key);
  }

  toggle(item) {
    if (isLeaf(this.model, item.node) || item.isReference) return;
    const before = { x: item.x, y: item.y };
    const wasWhole = this.view.shows(this.bounds);
    if (!this.folded.delete(item.node)) this.folded.add(item.node);
    this.select(item.key);
    this.refresh();
    // Fit the whole if possible; otherwise keep the touched node where it is.
    const scale = this.scaleToFit();
    if (scale >= this.view.scale || (wasWhole && scale >= READABLE_SCALE)) {
      this.fit();
      return;
    }
    const after = this.byKey.get(item.key);
    this.view.x += (before.x - after.x) * this.view.scale;
    this.view.y += (before.y - after.y) * this.view.scale;
    this.view.changed();
  }

  select(key) {
    const before = this.byKey.get(this.focus);
    this.focus = key;
    const item = this.byKey.get(key);
    if (!item) return;
    this.frame.setAttribute("aria-activedescendant", `node-${key}`);
    if (before) this.paint(before);
    this.paint(item);
    state.node = item.node;
    state.emit("node", item.node);
  }

  goTo(node) {
    for (let at = this.model.parent[node]; at >= 0; at = this.model.parent[at]) this.folded.delete(at);
    this.refresh();
    this.select(String(node));
    if (this.view.scale < READABLE_SCALE) this.view.scale = 0.9;
    this.view.reveal(this.byKey.get(String(node)), 60);
  }

  followHash() {
    const match = /^#node-(\d+)$/.exec(location.hash);
    if (match && Number(match[1]) < this.model.test.length) this.goTo(Number(match[1]));
  }

  hover(item) {
    this.path = new Set();
    for (let at = item; at; at = this.items[at.parent]) this.path.add(at.key);
    this.repaint();
    this.status.textContent = item ? pathSentence(this.model, item.node) : this.resting;
  }

  light(row) {
    const valueOf = (feature) => row[feature];
    const parts = row ? splitRow(this.model, valueOf) : [];
    this.lit = new Set([...parts.keys()].filter((node) => parts[node] > 0));
    this.repaint();
    const end = row ? this.byKey.get(String(followRow(this.model, valueOf))) : null;
    if (end && isLeaf(this.model, end.node)) this.view.reveal(end);
  }

  find(text) {
    const wanted = text.trim().toLowerCase();
    this.matches = wanted ? new Set() : null;
    if (wanted) {
      this.model.test.forEach((_, node) => {
        if (searchText(this.model, node).includes(wanted)) this.matches.add(node);
      });
      this.openMatches();
    }
    this.found.textContent = wanted ? count(this.matches.size, "node") : "";
    this.repaint();
  }

  // Unfold the first matches, as long as the drawing stays readable.
  openMatches() {
    let opened = false;
    for (const node of [...this.matches].slice(0, MAX_OPEN_NODES)) {
      for (let at = this.model.parent[node]; at >= 0; at = this.model.parent[at]) opened = this.folded.delete(at) || opened;
    }
    if (opened) this.refresh();
  }

  // ---- keys

  key(event) {
    const item = this.byKey.get(this.focus);
    if (event.ctrlKey || event.metaKey || event.altKey || !item) return;
    const [deeper, back] = this.direction === "right" ? ["ArrowRight", "ArrowLeft"] : ["ArrowDown", "ArrowUp"];
    const [next, last] = this.direction === "right" ? ["ArrowDown", "ArrowUp"] : ["ArrowRight", "ArrowLeft"];
    const actions = {
      [deeper]: () => this.step(item.children[0]), [back]: () => this.step(item.parent),
      [next]: () => this.beside(item, 1), [last]: () => this.beside(item, -1),
      Enter: () => (item.isReference ? this.goTo(item.node) : this.toggle(item)), " ": () => this.toggle(item), Home: () => this.step(0),
      "+": () => this.view.zoom(1.3), "=": () => this.view.zoom(1.3), "-": () => this.view.zoom(1 / 1.3),
      0: () => this.fit(), "/": () => this.search.focus(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  step(index) {
    const item = this.items[index];
    if (!item) return;
    this.select(item.key);
    this.view.reveal(item);
  }

  // The neighbor on the same level, also below another parent.
  beside(item, way) {
    const level = this.items.map((_, index) => index).filter((index) => this.items[index].level === item.level);
    const across = (index) => (this.direction === "right" ? this.items[index].y : this.items[index].x);
    level.sort((a, b) => across(a) - across(b));
    this.step(level[level.indexOf(this.items.indexOf(item)) + way]);
  }

  // Paper has no window: draw as much as can be read there, and add the whole tree as text.
  spreadForPrint(isPrinting) {
    if (isPrinting === Boolean(this.isPrinting)) return;
    this.isPrinting = isPrinting;
    if (isPrinting) {
      this.onScreen = { folded: this.folded, direction: this.direction, hasCharts: this.hasCharts };
      fitToPaper(this);
    } else {
      Object.assign(this, this.onScreen);
      this.frame.removeAttribute("viewBox");
      this.frame.style.height = "";
      this.outline.replaceChildren();
      this.arrange();
    }
    this.clear();
    this.draw();
  }
}

function union(first, second) {
  const x = Math.min(first.x, second.x), y = Math.min(first.y, second.y);
  return {
    x, y, width: Math.max(first.x + first.width, second.x + second.width) - x,
    height: Math.max(first.y + first.height, second.y + second.height) - y,
  };
}

function overlaps(seen, { x, y, width, height }) {
  return x < seen.right && x + width > seen.left && y < seen.bottom && y + height > seen.top;
}

function searchText(model, node) {
  const own = isLeaf(model, node) ? model.boxes[node].lines.map(([text]) => text) : model.branch_text[node];
  return [questionText(model, node), ...own].join(" ").toLowerCase();
}

partsOfPage.set("tree", { place: "main", draw: (section) => new TreeView(section) });
