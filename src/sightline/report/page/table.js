// ---- table: sortable and searchable; long tables show a page at a time

const PAGE = 100;

class SortableTable {
  static all = new Set();

  // columns: {head, value(entry), cell(entry), isText}; entries: anything.
  constructor({ caption, columns, entries, searchText, onpick }) {
    Object.assign(this, { columns, entries, searchText, onpick, shown: PAGE, order: { column: null, way: 1 } });
    this.body = el("tbody");
    this.heads = columns.map((column, index) => el("th", { scope: "col", class: column.isText ? "text" : "number", "aria-sort": "none" },
      button(column.head, () => this.sortBy(index), { class: "sort" })));
    this.element = el("div", { class: "scroll" }, el("table", null, el("caption", null, caption), el("thead", null, el("tr", null, this.heads)), this.body));
    this.more = button("Show more", () => { this.shown += PAGE; this.refresh(); });
    this.count = el("p", { class: "count", role: "status" });
    this.refresh();
    SortableTable.all.add(this);
  }

  get wanted() {
    if (!this.query) return this.entries;
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.entries.filter((entry) => {
      const text = this.searchText(entry);
      return words.every((word) => text.includes(word));
    });
  }

  get sorted() {
    const { column, way } = this.order;
    if (column === null) return this.wanted;
    const valueOf = this.columns[column].value;
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : (a ?? -Infinity) - (b ?? -Infinity));
    return this.wanted.slice().sort((a, b) => way * compare(valueOf(a), valueOf(b)));
  }

  search(query) {
    this.query = query.trim();
    this.shown = PAGE;
    this.refresh();
  }

  sortBy(column) {
    // Numbers start with the largest.
    const first = this.columns[column].isText ? 1 : -1;
    this.order = { column, way: this.order.column === column ? -this.order.way : first };
    this.heads.forEach((head, index) => head.setAttribute("aria-sort", index !== column ? "none" : this.order.way > 0 ? "ascending" : "descending"));
    this.refresh();
  }

  replace(entries) {
    this.entries = entries;
    this.shown = PAGE;
    this.refresh();
  }

  // Highlight the rows of some entries, where they are.
  mark(isMarked) {
    this.isMarked = isMarked;
    this.refresh();
  }

  refresh() {
    const { sorted, isMarked = () => false } = this;
    this.body.replaceChildren(...sorted.slice(0, this.shown).map((entry) => el("tr", { class: isMarked(entry) ? "marked" : null },
      this.columns.map((column) => el("td", { class: column.isText ? "text" : "number", "data-head": column.head }, column.cell(entry))))));
    this.more.hidden = sorted.length <= this.shown;
    const values = { n: Math.min(this.shown, sorted.length), all: sorted.length, total: this.entries.length };
    const texts = Object.fromEntries(Object.entries(values).map(([name, n]) => [name, grouped.format(n)]));
    this.count.textContent = this.query ? say("shown_of_found", texts) : sorted.length > this.shown ? say("shown", texts) : "";
  }
}

// A share or a mean of few rows says how few, unless a column beside it does (null).
function ofRows(text, rows) {
  return rows !== null && rows < data.words.few_rows ? say("few", { text, rows: count(rows, "row") }) : text;
}

// What a leaf or a rule predicts.
function labelColumn() {
  const { labelHead: head, labelOrder: value, labelColor } = task();
  return { head, isText: true, value, cell: ({ label, label_text: text }) => el("span", { class: "class-label" }, swatch(labelColor(label)), text) };
}

// Search, copy and save; there is no file without asCsv.
function tableToolbar(label, tableOf, asText, asCsv = null) {
  const search = el("input", { type: "search", placeholder: label, "aria-label": label, oninput: () => tableOf().search(search.value) });
  const copy = button("Copy as text", () => copyText(asText(), copy));
  const save = asCsv ? button("Save as CSV", () => saveText(asCsv(), "rules.csv", "text/csv")) : null;
  return { bar: el("div", { class: "toolbar" }, search, el("span", { class: "space" }), copy, save), search };
}

// Quote cells that a spreadsheet would run as a formula.
function csvCell(value) {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvText(heads, rows) {
  return [heads, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}
