// ---- stumps: one by one, with what each is worth and how it votes on the tried row

// The leaf that the tried row reaches stands out.
function stumpCell(stump) {
  const reached = stump.result?.leaf ?? -1;
  return el("ul", { class: "stump" }, stump.groups.map(({ nodes, label, text, share_text: share }) => el("li", { class: nodes.includes(reached) ? "reached" : null },
    swatch(colorOf(label)), text, el("span", { class: "note" }, ` ${share}`))));
}

function errorCell(share) {
  return share === null ? "–" : percent(share, 1);
}

function stumpText({ groups }) {
  return groups.map(({ text }) => text).join("; ");
}

function stumpColumns(model) {
  const columns = [
    { head: "No.", value: ({ number }) => -number, cell: ({ number }) => String(number) },
    { head: "Votes", isText: true, value: ({ result }) => (result ? className(result.best) : ""), cell: ({ result }) => (result ? classLabel(result.best) : "–") },
    { head: "Stump", isText: true, value: stumpText, cell: stumpCell },
  ];
  if (model.stumps.some(({ alone }) => alone !== null)) {
    columns.push({ head: "Error alone", value: ({ alone }) => alone, cell: ({ alone }) => errorCell(alone) });
    columns.push({ head: "Error without it", value: ({ without }) => without, cell: ({ without }) => errorCell(without) });
  }
  return columns;
}

function drawStumps(section) {
  const { model } = state;
  const table = new SortableTable({
    caption: `${count(model.stumps.length, "stump")}, one vote each`,
    columns: stumpColumns(model), entries: model.stumps, searchText: (stump) => stumpText(stump).toLowerCase(),
  });
  const { bar } = tableToolbar("Search stumps", () => table, () => table.sorted.map((stump) => `(${stump.number}) ${stumpText(stump)}`).join("\n") + "\n");
  state.on("row", (row) => {
    const answers = row ? predict(model, row).answers : [];
    model.stumps.forEach((stump, index) => { stump.result = answers[index] ?? null; });
    table.refresh();
  });
  section.append(bar, el("div", { class: "rules" }, table.element, table.count, table.more), task().legend());
}

kindOf({ kind: "stumps" }).why = (model, row, { best, answers }) => {
  const item = (stump, index) => el("li", null, swatch(colorOf(answers[index].best)), `${stump.number}. ${stumpReason(stump, answers[index])}`);
  const side = (isFor) => model.stumps.map((stump, index) => ((answers[index].best === best) === isFor ? item(stump, index) : null)).filter(Boolean);
  const [pro, con] = [side(true), side(false)];
  return el("div", null,
    el("p", null, say("stumps_for", { n: grouped.format(pro.length), stumps: count(model.stumps.length, "stump") })), el("ul", { class: "fired" }, pro),
    con.length ? [el("p", null, say("stumps_against")), el("ul", { class: "fired" }, con)] : null);
};

function stumpReason(stump, { leaf, best }) {
  return leaf < 0 ? say("averaged_stump", { label: className(best) }) : joined(conditionsOf(stump, stepsTo(stump, leaf)));
}

// The tree or graph that gives the same labels, drawn as in other reports.
function drawEqual(section, part) {
  linkNodes(part.model);
  section.append(el("p", { class: "note" }, part.note));
  return new TreeView(section, part.model);
}

partsOfPage.set("stumps", { place: "main", draw: drawStumps });
partsOfPage.set("equal", { place: "below", draw: drawEqual });
