// ---- curve: fidelity by size, and the model of each size

const CHART = { width: 340, height: 200, left: 44, right: 12, top: 14, bottom: 34 };

class Curve {
  constructor(section, part) {
    this.part = part;
    this.index = part.model.indexOf(0);
    this.chart = svg("svg", { class: "chart", viewBox: `0 0 ${CHART.width} ${CHART.height}`, role: "img", "aria-label": this.described() });
    this.slider = el("input", {
      type: "range", min: 0, max: part.sizes.length - 1, id: "size-slider",
      oninput: () => this.choose(Number(this.slider.value)),
    });
    this.text = el("p", { class: "size-text", "aria-live": "polite" });
    this.back = button("Back to the report's model", () => this.choose(part.model.indexOf(0)));
    section.append(this.chart, this.key(), el("label", { for: "size-slider" }, capitalized(part.unit[1])), this.slider, this.text, this.back);
    this.drawChart();
    this.mark();
  }

  described() {
    return this.part.sizes.map((_, index) => this.pointText(index, "fidelity")).join("; ");
  }

  pointText(index, measure) {
    const name = say(measure === "fidelity" ? "size_fidelity" : "size_quality");
    return say("size_point", { size: this.sizeText(index), measure: name, share: task().measureText(this.part[measure][index]) });
  }

  sizeText(index) {
    return count(this.part.sizes[index], this.part.unit);
  }

  key() {
    const entries = [["fidelity", say("size_fidelity")]];
    if (this.part.accuracy) entries.push(["accuracy", say("size_quality")]);
    if (this.part.ensemble_accuracy !== null) entries.push(["ensemble", say("size_ensemble")]);
    return el("p", { class: "key" }, entries.map(([name, label]) => el("span", { class: `key-${name}` }, label)));
  }

  x(index) {
    const { sizes } = this.part;
    const log = (n) => Math.log2(Math.max(n, 1));
    const share = (log(sizes[index]) - log(sizes[0])) / (log(sizes.at(-1)) - log(sizes[0]) || 1);
    return CHART.left + share * (CHART.width - CHART.left - CHART.right);
  }

  get axis() {
    const { part } = this;
    return task().axis([...part.fidelity, ...(part.accuracy ?? []), part.ensemble_accuracy ?? part.fidelity[0]]);
  }

  y(share) {
    const { low, high } = this.axis;
    return CHART.top + ((high - Math.max(share, low)) / (high - low || 1)) * (CHART.height - CHART.top - CHART.bottom);
  }

  drawChart() {
    const { part } = this;
    const line = (shares) => shares.map((share, index) => `${index ? "L" : "M"}${this.x(index).toFixed(1)} ${this.y(share).toFixed(1)}`).join("");
    this.chart.append(...this.axes());
    if (part.ensemble_accuracy !== null) {
      this.chart.append(svg("path", { class: "line ensemble", d: `M${CHART.left} ${this.y(part.ensemble_accuracy)}H${CHART.width - CHART.right}` }));
    }
    for (const name of ["accuracy", "fidelity"]) {
      if (!part[name]) continue;
      this.chart.append(svg("path", { class: `line ${name}`, d: line(part[name]) }));
      part[name].forEach((share, index) => this.chart.append(svg("circle", { class: `dot ${name}`, cx: this.x(index), cy: this.y(share), r: 3 },
        svg("title", null, this.pointText(index, name)))));
    }
    this.cursor = svg("path", { class: "cursor" });
    this.chart.append(this.cursor);
  }

  axes() {
    const { part } = this;
    const marks = this.axis.ticks.flatMap(({ at, text }) => {
      const y = this.y(at);
      return [svg("path", { class: "grid", d: `M${CHART.left} ${y}H${CHART.width - CHART.right}` }),
        svg("text", { x: CHART.left - 6, y: y + 4, "text-anchor": "end" }, text)];
    });
    let free = -Infinity;
    part.sizes.forEach((size, index) => {
      if (this.x(index) < free) return;
      free = this.x(index) + 24;
      marks.push(svg("text", { x: this.x(index), y: CHART.height - CHART.bottom + 16, "text-anchor": "middle" }, String(size)));
    });
    marks.push(svg("text", { x: (CHART.left + CHART.width) / 2, y: CHART.height - 4, "text-anchor": "middle" }, part.unit[1]));
    return marks;
  }

  choose(index) {
    this.index = index;
    state.model = data.models[this.part.model[index]];
    this.mark();
    state.emit("model", state.model);
  }

  mark() {
    const { part, index } = this;
    this.slider.value = index;
    const x = this.x(index).toFixed(1);
    this.cursor.setAttribute("d", `M${x} ${CHART.top}V${CHART.height - CHART.bottom}`);
    const isOwn = part.model[index] === 0;
    const notes = [isOwn ? say("size_own") : "", part.sizes[index] === part.suggested ? say("size_suggested") : ""].filter(Boolean);
    this.text.textContent = say("size", {
      size: this.sizeText(index), fidelity: task().measureText(part.fidelity[index]), rows: count(part.n_rows, "row"),
      accuracy: part.accuracy ? say("size_accuracy", { share: task().measureText(part.accuracy[index]) }) : "",
      notes: notes.length ? `; ${notes.join(", ")}` : "",
    });
    this.slider.setAttribute("aria-valuetext", this.text.textContent);
    this.back.hidden = isOwn;
  }
}

partsOfPage.set("curve", { place: "side", draw: (section, part) => new Curve(section, part) });
