// ---- effects: what model and ensemble predict on average as one column changes

const EFFECT = { width: 300, height: 150, left: 46, right: 8, top: 8, bottom: 24 };

function effectAxes(ticks, x, y) {
  return ticks.flatMap(([share, text]) => [
    svg("path", { class: "grid", d: `M${x(0)} ${y(share).toFixed(1)}H${x(1)}` }),
    svg("text", { x: x(0) - 6, y: (y(share) + 4).toFixed(1), "text-anchor": "end" }, text),
  ]);
}

function numberEffect(chart, ticks) {
  // On paper the labels are larger.
  const left = Math.max(EFFECT.left, widest(ticks.map(([, text]) => text), "16px") + 8);
  const x = (share) => left + share * (EFFECT.width - left - EFFECT.right);
  const y = (share) => EFFECT.height - EFFECT.bottom - share * (EFFECT.height - EFFECT.top - EFFECT.bottom);
  const line = (shares) => shares.map((share, index) => `${index ? "L" : "M"}${x(chart.x[index]).toFixed(1)} ${y(share).toFixed(1)}`).join("");
  const base = EFFECT.height - EFFECT.bottom;
  const cuts = chart.cuts.map(([share, text]) => svg("path", { class: "cut", d: `M${x(share).toFixed(1)} ${base}v5` }, svg("title", null, text)));
  const [first, last] = chart.ends;
  return svg("svg", { class: "chart", viewBox: `0 0 ${EFFECT.width} ${EFFECT.height}`, role: "img", "aria-label": chart.described },
    effectAxes(ticks, x, y), cuts,
    svg("path", { class: "line of-ensemble", d: line(chart.ensemble) }),
    svg("path", { class: "line of-model", d: line(chart.model) }),
    svg("text", { x: x(0), y: base + 18 }, first), svg("text", { x: x(1), y: base + 18, "text-anchor": "end" }, last));
}

// A line per category: a bar for the model, a dot for the ensemble, on the scale of the other charts.
function categoryEffect(chart, ticks) {
  const x = (share) => (6 + 138 * share).toFixed(1);
  const lines = chart.categories.map((name, index) => el("li", null, el("span", null, name),
    svg("svg", { viewBox: "0 0 150 16", "aria-hidden": "true" },
      svg("path", { class: "grid", d: "M6 8H144" }),
      svg("path", { class: "bar of-model", d: `M${x(chart.model[index])} 1V15` }),
      svg("circle", { class: "of-ensemble", cx: x(chart.ensemble[index]), cy: 8, r: 4 }))));
  const [first, last] = [ticks[0], ticks.at(-1)];
  const scale = svg("svg", { viewBox: "0 0 150 16", "aria-hidden": "true" },
    svg("text", { x: x(first[0]), y: 12 }, first[1]), svg("text", { x: x(last[0]), y: 12, "text-anchor": "end" }, last[1]));
  return el("ul", { class: "categories chart", "aria-label": chart.described }, lines, el("li", null, el("span"), scale));
}

function drawEffects(section, part) {
  const [model, ensemble] = part.key;
  section.append(el("p", { class: "note" }, part.note),
    el("p", { class: "key" }, el("span", { class: "key-model" }, model), el("span", { class: "key-of-ensemble" }, ensemble)),
    el("div", { class: "effects" }, part.charts.map((chart) => el("figure", { class: "effect" }, el("figcaption", null, chart.name),
      (chart.categories ? categoryEffect : numberEffect)(chart, part.ticks)))));
}

partsOfPage.set("effects", { place: "below", draw: drawEffects });
