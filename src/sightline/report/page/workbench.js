// ---- workbench: the model, with panels beside it

class Workbench {
  constructor(main) {
    this.stage = el("section", { class: "stage", id: "part-model", "aria-label": "The model" });
    this.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "About the model" });
    this.side = el("div", { class: "side", hidden: true }, this.tabs);
    this.panels = [];
    main.append(el("div", { class: "workbench" }, this.stage, this.side));
    state.on("try", () => this.choose(this.panels.findIndex(({ kind }) => kind === "whatif")));
  }

  add(part, draw) {
    const index = this.panels.length;
    this.side.hidden = false;
    const panel = el("section", {
      class: `panel panel-${part.kind}`, role: "tabpanel", id: `part-${part.kind}`, "aria-labelledby": `tab-${part.kind}`, hidden: index > 0,
    });
    const tab = el("button", {
      type: "button", role: "tab", id: `tab-${part.kind}`, "aria-controls": `part-${part.kind}`, "aria-selected": String(index === 0),
      tabindex: index ? -1 : 0, onclick: () => this.choose(index), onkeydown: (event) => this.key(event, index),
    }, part.title);
    this.tabs.append(tab);
    this.side.append(panel);
    this.panels.push({ kind: part.kind, tab, panel, drawn: draw(panel, part) });
  }

  choose(index) {
    this.panels.forEach(({ tab, panel }, other) => {
      panel.hidden = other !== index;
      tab.setAttribute("aria-selected", String(other === index));
      tab.tabIndex = other === index ? 0 : -1;
    });
    for (const { drawn } of this.panels) drawn?.close?.(this.panels[index]?.kind);
    this.panels[index]?.drawn?.open?.();
    state.emit("panel", this.panels[index]?.kind);
  }

  key(event, index) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = (index + way + this.panels.length) % this.panels.length;
    this.choose(next);
    this.panels[next].tab.focus();
  }
}
