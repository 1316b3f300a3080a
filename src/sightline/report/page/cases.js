// ---- cases: the chosen row beside its nearest cases; what differs is marked

class CasesView {
  constructor(section, part) {
    this.part = part;
    // What all members ask for needs no column that says so of each feature.
    this.tellsUse = part.use.some((share) => share < 1);
    this.place = new Map(part.number.map((number, place) => [number, place]));
    this.menu = el("select", { id: "case-row", onchange: () => this.show(Number(this.menu.value)) },
      data.rows.number.map((_, place) => el("option", { value: place }, rowName(place))));
    this.differences = el("input", { type: "checkbox", onchange: () => this.draw() });
    this.verdict = el("div", { class: "verdict", "aria-live": "polite" });
    this.holder = el("div", { class: "scroll" });
    section.append(
      el("div", { class: "toolbar" }, el("label", { class: "from-row", for: "case-row" }, "Explain "), this.menu,
        el("label", { class: "missing" }, this.differences, "only what differs")),
      this.verdict, this.holder, el("p", { class: "note" }, `Bold: differs by more than a twentieth of the range.${this.tellsUse ? " Use: share of the members that ask for the feature." : ""}`), legend());
    state.on("try", (place) => this.show(place));
    this.show(0);
  }

  show(place) {
    this.menu.value = String(place);
    this.row = place;
    this.draw();
  }

  draw() {
    const found = this.part.rows[this.row];
    this.verdict.replaceChildren(
      el("p", { class: "answer" }, `The ${state.model.noun} says `, el("strong", { id: "prediction" }, classLabel(found.said)),
        ` (${percent(found.share, 1)}; ${grouped.format(found.n_for)} of ${counted(found.n_members, "member")})`),
      el("div", { class: "why" }, found.sentences.map((sentence) => el("p", null, sentence))));
    this.holder.replaceChildren(this.table(found));
  }

  table(found) {
    const matches = [...found.cases, ...(found.contrast ? [found.contrast] : [])];
    const heads = ["Feature", ...(this.tellsUse ? ["Use"] : []), "This row", ...matches.map((match) => `${match === found.contrast ? "Against it: case" : "Case"} ${grouped.format(match.case)}`)];
    const features = data.columns.map((_, feature) => feature)
      .filter((feature) => !this.differences.checked || matches.some(({ differing }) => differing.includes(feature)));
    return el("table", { class: "cases" },
      el("caption", null, `${counted(matches.length, "case")} of ${grouped.format(this.part.n_cases)}, the most alike first. Cases are numbered by the rows that they were learnt from, the first is 0.`),
      el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col", class: "text" }, head)))),
      el("tbody", null,
        el("tr", { class: "outcome" }, el("th", { scope: "row" }, "Outcome"), this.tellsUse ? el("td") : null, el("td", null, classLabel(found.said), " (said)"),
          matches.map((match) => el("td", null, classLabel(this.part.label[this.place.get(match.case)])))),
        features.map((feature) => this.line(feature, matches))));
  }

  line(feature, matches) {
    const own = data.rows.cells[this.row][feature];
    return el("tr", null,
      el("th", { scope: "row" }, data.columns[feature].name), this.tellsUse ? el("td", { class: "number note" }, percent(this.part.use[feature])) : null, el("td", null, cellText(feature, own)),
      matches.map((match) => {
        const text = cellText(feature, this.part.cells[this.place.get(match.case)][feature]);
        return match.differing.includes(feature) ? el("td", { class: "differs" }, el("strong", null, text)) : el("td", { class: match.near.includes(feature) ? "near" : "same" }, text);
      }));
  }
}

featureFinders.set("cases", () => new Set(data.columns.map((_, feature) => feature)));
partsOfPage.set("cases", { place: "main", draw: (section, part) => new CasesView(section, part) });
