// ---- start: draws the parts of this report in their order

function drawBelow(main, part, draw) {
  const section = el("section", { class: "below", id: `part-${part.kind}`, "aria-labelledby": `head-${part.kind}` }, el("h2", { id: `head-${part.kind}` }, part.title));
  main.append(section);
  draw(section, part);
  return section;
}

function linkDisagreement() {
  const text = data.difference_link;
  if (text !== null) document.getElementById("lead").append(" ", el("a", { href: "#part-disagreement", class: "wrong" }, text));
}

function themeButton() {
  const themes = ["system", "light", "dark"];
  const control = document.getElementById("theme");
  const apply = (theme) => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    control.textContent = `Theme: ${theme}`;
  };
  let theme = "system";
  // A page opened from disk may have no storage.
  try { theme = localStorage.getItem("sightline-theme") ?? theme; } catch { /* the system's theme then */ }
  apply(themes.includes(theme) ? theme : "system");
  control.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    try { localStorage.setItem("sightline-theme", theme); } catch { /* for this visit only */ }
    apply(theme);
  });
}

function start() {
  // What stands there where scripts are off.
  document.getElementById("static").remove();
  const main = document.getElementById("main");
  const contents = document.getElementById("contents");
  const workbench = new Workbench(main);
  const parts = data.parts.some(({ kind }) => kind === "tree") ? [...data.parts, { kind: "node", title: "This node" }] : data.parts;
  const placed = (place) => parts.filter(({ kind }) => partsOfPage.get(kind)?.place === place);
  const drawOf = ({ kind }) => partsOfPage.get(kind).draw;
  // Panels first: they listen to events of the drawing.
  const side = placed("side").sort((a, b) => (b.kind === "node") - (a.kind === "node"));
  for (const part of side) workbench.add(part, drawOf(part));
  for (const part of placed("main")) drawOf(part)(workbench.stage, part);
  for (const part of placed("below")) {
    drawBelow(main, part, drawOf(part));
    contents.append(el("a", { href: `#part-${part.kind}` }, part.title));
  }
  // Open the first panel.
  if (side.length) workbench.choose(0);
  linkDisagreement();
  themeButton();
}

start();
