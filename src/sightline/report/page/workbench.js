// ---- workbench: the model large, and beside it what one does with it

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
    const place = this.panels.length;
    this.side.hidden = false;
    const panel = el("section", {
      class: `panel panel-${part.kind}`, role: "tabpanel", id: `part-${part.kind}`, "aria-labelledby": `tab-${part.kind}`, hidden: place > 0,
    });
    const tab = el("button", {
      type: "button", role: "tab", id: `tab-${part.kind}`, "aria-controls": `part-${part.kind}`, "aria-selected": String(place === 0),
      tabindex: place ? -1 : 0, onclick: () => this.choose(place), onkeydown: (event) => this.key(event, place),
    }, part.title);
    this.tabs.append(tab);
    this.side.append(panel);
    this.panels.push({ kind: part.kind, tab, panel, drawn: draw(panel, part) });
  }

  choose(place) {
    this.panels.forEach(({ tab, panel }, other) => {
      panel.hidden = other !== place;
      tab.setAttribute("aria-selected", String(other === place));
      tab.tabIndex = other === place ? 0 : -1;
    });
    for (const { drawn } of this.panels) drawn?.close?.(this.panels[place]?.kind);
    this.panels[place]?.drawn?.open?.();
  }

  key(event, place) {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = (place + way + this.panels.length) % this.panels.length;
    this.choose(next);
    this.panels[next].tab.focus();
  }
}
