// ---- cases: the chosen row beside its nearest cases; differences are marked

class CasesView {
  constructor(section, part) {
    this.part = part;
    // No column for the use of features that all members use.
    this.showsUse = part.use.some((share) => share < 1);
    this.index = new Map(part.number.map((number, index) => [number, index]));
    this.menu = el("select", { id: "case-row", onchange: () => this.show(Number(this.menu.value)) },
      data.rows.number.map((_, index) => el("option", { value: index }, rowName(index))));
    this.differences = el("input", { type: "checkbox", onchange: () => this.draw() });
    this.verdict = el("div", { class: "verdict", "aria-live": "polite" });
    this.holder = el("div", { class: "scroll" });
    section.append(
      el("div", { class: "toolbar" }, el("label", { class: "from-row", for: "case-row" }, "Explain "), this.menu,
        el("label", { class: "missing" }, this.differences, "only differences")),
      this.verdict, this.holder, el("p", { class: "note" }, [say("case_marks"), this.showsUse ? say("case_use") : ""].filter(Boolean).join(" ")), task().legend());
    state.on("try", (index) => this.show(index));
    this.show(0);
  }

  show(index) {
    this.menu.value = String(index);
    this.row = index;
    this.draw();
  }

  draw() {
    const result = this.part.rows[this.row];
    this.verdict.replaceChildren(
      el("p", { class: "answer" }, `The ${state.model.noun} predicts `, el("strong", { id: "prediction" }, task().element(result.label)), task().caseVote(result)),
      el("div", { class: "why" }, result.sentences.map((sentence) => el("p", null, sentence))));
    this.holder.replaceChildren(this.table(result));
  }

  // The name of a case in the training data, or its row number there.
  nameOf(match) {
    return this.part.name ? this.part.name[this.index.get(match.case)] : grouped.format(match.case);
  }

  table(result) {
    const matches = [...result.cases, ...(result.contrast ? [result.contrast] : [])];
    const heads = ["Feature", ...(this.showsUse ? ["Use"] : []), "This row", ...matches.map((match) => `${match === result.contrast ? "Counterexample: case" : "Case"} ${this.nameOf(match)}`)];
    const features = data.columns.map((_, feature) => feature)
      .filter((feature) => !this.differences.checked || matches.some(({ differing }) => differing.includes(feature)));
    return el("table", { class: "cases" },
      el("caption", null, say(this.part.name ? "named_cases_caption" : "cases_caption", { n: grouped.format(matches.length), cases: count(this.part.n_cases, "case") })),
      el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col", class: "text" }, head)))),
      el("tbody", null,
        el("tr", { class: "outcome" }, el("th", { scope: "row" }, "Outcome"), this.showsUse ? el("td") : null, el("td", null, task().element(result.label), " (predicted)"),
          matches.map((match) => el("td", null, task().element(this.part.label[this.index.get(match.case)])))),
        features.map((feature) => this.line(feature, matches))));
  }

  line(feature, matches) {
    const own = data.rows.cells[this.row][feature];
    return el("tr", null,
      el("th", { scope: "row" }, data.columns[feature].name), this.showsUse ? el("td", { class: "number note" }, percent(this.part.use[feature])) : null, el("td", null, cellText(feature, own)),
      matches.map((match) => {
        const text = cellText(feature, this.part.cells[this.index.get(match.case)][feature]);
        return match.differing.includes(feature) ? el("td", { class: "differs" }, el("strong", null, text)) : el("td", { class: match.near.includes(feature) ? "near" : "same" }, text);
      }));
  }
}

partsOfPage.set("cases", { place: "main", draw: (section, part) => (part.note ? section.append(el("p", { class: "notice" }, part.note)) : new CasesView(section, part)) });
