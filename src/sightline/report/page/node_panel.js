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
    button(wayText(model, above, branch), () => state.emit("goto", above), {
      class: "link", title: model.complete?.[wayText(model, above, branch)] ?? "Go to the node with this test",
    })));
  const end = isLeaf(model, node) ? task().labelElement(model, node) : questionText(model, node);
  return [...steps, el("li", { "aria-current": "true" }, end)];
}

function nodeFacts(model, node) {
  const facts = [];
  const share = percent(model.rows[node] / (model.rows[0] || 1));
  facts.push(fact(model.rows_head, say("rows_of_all", { rows: grouped.format(model.rows[node]), share })));
  facts.push(...task().nodeFacts(model, node));
  const agreement = task().agreementText(model, node);
  if (agreement) facts.push(fact("Agreement", agreement));
  const proof = proofText(model, node);
  if (proof) facts.push(fact("Proof", el("span", { class: `proof ${model.proof?.[node] ?? ""}` }, proof)));
  facts.push(fact("Link", el("a", { href: `#node-${node}` }, `#node-${node}`)));
  return facts;
}

partsOfPage.set("node", { place: "side", draw: drawNodePanel });
