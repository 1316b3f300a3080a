// ---- curve: leaves against fidelity, and the tree of each size

const CHART = { width: 340, height: 200, left: 44, right: 12, top: 14, bottom: 34 };

class Curve {
  constructor(section, part) {
    this.part = part;
    this.place = part.model.indexOf(0);
    this.chart = svg("svg", { class: "chart", viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": this.described() });
    this.slider = el("input", {
      type: "range", min: 0, max: part.sizes.length - 1, id: "size-slider",
      oninput: () => this.choose(Number(this.slider.value)),
    });
    this.told = el("p", { class: "told", "aria-live": "polite" });
    this.back = button("Back to the report's own", () => this.choose(part.model.indexOf(0)));
    section.append(this.chart, this.key(), el("label", { for: "size-slider" }, capitalised(part.unit)), this.slider, this.told, this.back);
    this.drawChart();
    this.mark();
  }

  described() {
    return this.part.sizes.map((size, place) => `${size} ${this.part.unit}: ${percent(this.part.fidelity[place], 1)}`).join("; ");
  }

  key() {
    const entries = [["fidelity", "fidelity"]];
    if (this.part.accuracy) entries.push(["accuracy", "accuracy"]);
    if (this.part.ensemble_accuracy !== null) entries.push(["ensemble", "the ensemble's accuracy"]);
    return el("p", { class: "key" }, entries.map(([name, label]) => el("span", { class: `key-${name}` }, label)));
  }

  x(place) {
    const { sizes } = this.part;
    const log = (n) => Math.log2(Math.max(n, 1));
    const share = (log(sizes[place]) - log(sizes[0])) / (log(sizes.at(-1)) - log(sizes[0]) || 1);
    return CHART.left + share * (CHART.width - CHART.left - CHART.right);
  }

  y(share) {
    const all = [...this.part.fidelity, ...(this.part.accuracy ?? []), this.part.ensemble_accuracy ?? 1];
    const low = Math.floor(20 * Math.min(...all)) / 20, high = Math.min(1, Math.ceil(20 * Math.max(...all)) / 20);
    return CHART.top + ((high - share) / (high - low || 1)) * (CHART.height - CHART.top - CHART.bottom);
  }

  drawChart() {
    const { part } = this;
    const line = (shares) => shares.map((share, place) => `${place ? "L" : "M"}${this.x(place).toFixed(1)} ${this.y(share).toFixed(1)}`).join("");
    this.chart.append(...this.axes());
    if (part.ensemble_accuracy !== null) {
      this.chart.append(svg("path", { class: "line ensemble", d: `M${CHART.left} ${this.y(part.ensemble_accuracy)}H${CHART.width - CHART.right}` }));
    }
    for (const name of ["accuracy", "fidelity"]) {
      if (!part[name]) continue;
      this.chart.append(svg("path", { class: `line ${name}`, d: line(part[name]) }));
      part[name].forEach((share, place) => this.chart.append(svg("circle", { class: `dot ${name}`, cx: this.x(place), cy: this.y(share), r: 3 },
        svg("title", null, `${part.sizes[place]} ${part.unit}: ${name} ${percent(share, 1)}`))));
    }
    this.cursor = svg("path", { class: "cursor" });
    this.chart.append(this.cursor);
  }

  axes() {
    const { part } = this;
    const marks = [];
    const all = [...part.fidelity, ...(part.accuracy ?? []), part.ensemble_accuracy ?? 1];
    const low = Math.floor(20 * Math.min(...all)), high = Math.min(20, Math.ceil(20 * Math.max(...all)));
    const step = Math.max(1, Math.ceil((high - low) / 5));
    for (let tick = low; tick <= high; tick += step) {
      const y = this.y(tick / 20);
      marks.push(svg("path", { class: "grid", d: `M${CHART.left} ${y}H${CHART.width - CHART.right}` }),
        svg("text", { x: CHART.left - 6, y: y + 4, "text-anchor": "end" }, `${tick * 5} %`));
    }
    let free = -Infinity;
    part.sizes.forEach((size, place) => {
      if (this.x(place) < free) return;
      free = this.x(place) + 24;
      marks.push(svg("text", { x: this.x(place), y: CHART.height - CHART.bottom + 16, "text-anchor": "middle" }, String(size)));
    });
    marks.push(svg("text", { x: (CHART.left + CHART.width) / 2, y: CHART.height - 4, "text-anchor": "middle" }, part.unit));
    return marks;
  }

  choose(place) {
    this.place = place;
    state.model = data.models[this.part.model[place]];
    this.mark();
    state.emit("model", state.model);
  }

  mark() {
    const { part, place } = this;
    this.slider.value = place;
    const x = this.x(place).toFixed(1);
    this.cursor.setAttribute("d", `M${x} ${CHART.top}V${CHART.height - CHART.bottom}`);
    const isOwn = part.model[place] === 0;
    const accuracy = part.accuracy ? `, accuracy ${percent(part.accuracy[place], 1)}` : "";
    const notes = [
      isOwn ? "the report's own model" : "",
      part.sizes[place] === part.suggested ? "the smallest within one standard error of the best" : "",
    ].filter(Boolean);
    const more = notes.length ? `; ${notes.join(", ")}` : "";
    this.told.textContent = `${sizeText(part, place)}: fidelity ${percent(part.fidelity[place], 1)}${accuracy} on ${counted(part.n_rows, "row")}${more}.`;
    this.slider.setAttribute("aria-valuetext", this.told.textContent);
    this.back.hidden = isOwn;
  }
}

const SINGULAR = { leaves: "leaf", rules: "rule" };

function sizeText(part, place) {
  return counted(part.sizes[place], SINGULAR[part.unit] ?? part.unit, part.unit);
}

partsOfPage.set("curve", { place: "side", draw: (section, part) => new Curve(section, part) });
