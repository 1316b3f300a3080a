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
    return say("size_point", { size: this.sizeText(index), measure, share: percent(this.part[measure][index], 1) });
  }

  sizeText(index) {
    return count(this.part.sizes[index], this.part.unit);
  }

  key() {
    const entries = [["fidelity", "fidelity"]];
    if (this.part.accuracy) entries.push(["accuracy", "accuracy"]);
    if (this.part.ensemble_accuracy !== null) entries.push(["ensemble", `accuracy of the ${data.words.teacher}`]);
    return el("p", { class: "key" }, entries.map(([name, label]) => el("span", { class: `key-${name}` }, label)));
  }

  x(index) {
    const { sizes } = this.part;
    const log = (n) => Math.log2(Math.max(n, 1));
    const share = (log(sizes[index]) - log(sizes[0])) / (log(sizes.at(-1)) - log(sizes[0]) || 1);
    return CHART.left + share * (CHART.width - CHART.left - CHART.right);
  }

  y(share) {
    const all = [...this.part.fidelity, ...(this.part.accuracy ?? []), this.part.ensemble_accuracy ?? 1];
    const low = Math.floor(20 * Math.min(...all)) / 20, high = Math.min(1, Math.ceil(20 * Math.max(...all)) / 20);
    return CHART.top + ((high - share) / (high - low || 1)) * (CHART.height - CHART.top - CHART.bottom);
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
    const marks = [];
    const all = [...part.fidelity, ...(part.accuracy ?? []), part.ensemble_accuracy ?? 1];
    const low = Math.floor(20 * Math.min(...all)), high = Math.min(20, Math.ceil(20 * Math.max(...all)));
    const step = Math.max(1, Math.ceil((high - low) / 5));
    for (let tick = low; tick <= high; tick += step) {
      const y = this.y(tick / 20);
      marks.push(svg("path", { class: "grid", d: `M${CHART.left} ${y}H${CHART.width - CHART.right}` }),
        svg("text", { x: CHART.left - 6, y: y + 4, "text-anchor": "end" }, say("percent", { number: tick * 5 })));
    }
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
      size: this.sizeText(index), fidelity: percent(part.fidelity[index], 1), rows: count(part.n_rows, "row"),
      accuracy: part.accuracy ? say("size_accuracy", { share: percent(part.accuracy[index], 1) }) : "",
      notes: notes.length ? `; ${notes.join(", ")}` : "",
    });
    this.slider.setAttribute("aria-valuetext", this.text.textContent);
    this.back.hidden = isOwn;
  }
}

partsOfPage.set("curve", { place: "side", draw: (section, part) => new Curve(section, part) });
