// ---- node panel: all that is known of the node that is looked at

function fact(term, ...told) {
  return [el("dt", null, term), el("dd", null, ...told)];
}

function drawNodePanel(section) {
  const sentence = el("p", { class: "sentence", "aria-live": "polite" });
  const crumbs = el("ol", { class: "crumbs", "aria-label": "Path from the root" });
  const facts = el("dl", { class: "facts" });
  section.append(sentence, facts, el("h3", null, "The way here"), crumbs);
  const show = (node) => {
    const { model } = state;
    sentence.textContent = pathSentence(model, node);
    crumbs.replaceChildren(...crumbsTo(model, node));
    facts.replaceChildren(...nodeFacts(model, node).flat());
  };
  state.on("node", show);
  show(state.node);
}

function crumbsTo(model, node) {
  const steps = stepsTo(model, node).map(([above, branch]) => el("li", null,
    button(branchText(model, above, branch), () => state.emit("goto", above), { class: "link", title: "Go to the node that asks this" })));
  const end = model.test[node] === LEAF ? classLabel(model.best[node]) : `${questionText(model, node)}?`;
  return [...steps, el("li", { "aria-current": "true" }, end)];
}

function nodeFacts(model, node) {
  const facts = [];
  const rows = rowsHead(model);
  facts.push(fact(rows, `${grouped.format(model.rows[node])} (${percent(model.rows[node] / (model.rows[0] || 1))} of all)`));
  facts.push(fact(model.counted === "ensemble" ? "Ensemble's classes" : "Class mix", mixBar(model.mix[node]), mixList(model.mix[node])));
  if (model.test[node] === LEAF) facts.push(fact("Answers with probability", `${className(model.best[node])} ${percent(Math.max(...model.output[node]), 1)}`));
  const agreement = agreementText(model, node);
  if (agreement) facts.push(fact("Agreement", agreement));
  const proof = proofText(model, node);
  if (proof) facts.push(fact("Proof", el("span", { class: `proof ${model.proof?.[node] ?? ""}` }, proof)));
  facts.push(fact("Link", el("a", { href: `#node-${node}` }, `#node-${node}`)));
  return facts;
}

// Weights are those of training rows, unless rows were only counted afterwards.
function rowsHead(model) {
  return model.weight && model.counted !== "passed" ? "Training rows" : "Rows";
}

function mixList(shares) {
  const order = shares.map((share, place) => [share, place]).filter(([share]) => share > 0).sort((a, b) => b[0] - a[0]);
  const told = order.slice(0, 6).map(([share, place]) => el("li", null, classLabel(place), ` ${percent(share, 1)}`));
  if (order.length > 6) told.push(el("li", null, `${order.length - 6} more`));
  return el("ul", { class: "mix-list" }, told);
}

partsOfPage.set("node", { place: "side", draw: drawNodePanel });
