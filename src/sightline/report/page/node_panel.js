// ---- node panel: everything known about the selected node

function fact(term, ...content) {
  return [el("dt", null, term), el("dd", null, ...content)];
}

function drawNodePanel(section) {
  const sentence = el("p", { class: "sentence", "aria-live": "polite" });
  const crumbs = el("ol", { class: "crumbs", "aria-label": "Path from the root" });
  const facts = el("dl", { class: "facts" });
  section.append(sentence, facts, el("h3", null, "The path here"), crumbs);
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
    button(model.branch_text[above][branch], () => state.emit("goto", above), { class: "link", title: "Go to the node with this test" })));
  const end = isLeaf(model, node) ? classLabel(model.best[node]) : questionText(model, node);
  return [...steps, el("li", { "aria-current": "true" }, end)];
}

function nodeFacts(model, node) {
  const facts = [];
  const share = percent(model.rows[node] / (model.rows[0] || 1));
  facts.push(fact(model.rows_head, say("rows_of_all", { rows: grouped.format(model.rows[node]), share })));
  facts.push(fact(model.mix_head, mixBar(model.mix[node]), mixList(model.mix[node])));
  if (isLeaf(model, node)) facts.push(fact("Predicted probability", `${className(model.best[node])} ${percent(Math.max(...model.output[model.first[node]]), 1)}`));
  const agreement = agreementText(model, node);
  if (agreement) facts.push(fact("Agreement", agreement));
  const proof = proofText(model, node);
  if (proof) facts.push(fact("Proof", el("span", { class: `proof ${model.proof?.[node] ?? ""}` }, proof)));
  facts.push(fact("Link", el("a", { href: `#node-${node}` }, `#node-${node}`)));
  return facts;
}

function mixList(shares) {
  const order = shares.map((share, index) => [share, index]).filter(([share]) => share > 0).sort((a, b) => b[0] - a[0]);
  const items = order.slice(0, 6).map(([share, index]) => el("li", null, classLabel(index), ` ${percent(share, 1)}`));
  if (order.length > 6) items.push(el("li", null, say("more", { n: order.length - 6 })));
  return el("ul", { class: "mix-list" }, items);
}

partsOfPage.set("node", { place: "side", draw: drawNodePanel });
