// ---- card: what was learned from what, and what this page cannot tell

function drawCard(section, part) {
  section.append(
    el("div", { class: "card" }, part.sections.map(({ heading, lines }) => el("section", null,
      el("h3", null, heading), el("dl", { class: "facts" }, lines.map(([term, text]) => fact(term, text)))))),
    el("h3", null, "What this page cannot tell you"), el("ul", null, part.limits.map((limit) => el("li", null, limit))));
}

partsOfPage.set("card", { place: "below", draw: drawCard });
