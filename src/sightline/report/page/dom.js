// ---- dom: elements from names, attributes and strings; never from markup

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function el(tag, attributes, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return furnish(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function button(label, onclick, attributes) {
  return el("button", { type: "button", onclick, ...attributes }, label);
}

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

const ruler = document.createElement("canvas").getContext("2d");
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

function textWidth(text, font) {
  ruler.font = `${font} ${FONT}`;
  return ruler.measureText(text).width;
}

function cutTo(text, width, font) {
  if (textWidth(text, font) <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (textWidth(text.slice(0, middle) + "…", font) <= width) low = middle;
    else high = middle - 1;
  }
  // Half of a surrogate pair is not a character.
  return text.slice(0, low).replace(/[\ud800-\udbff]$/, "").trimEnd() + "…";
}

function swatch(index) {
  const mark = el("span", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = colorOf(index);
  return mark;
}

function colorOf(index) {
  return data.classes[index]?.color ?? "#8a8f98";
}

function classLabel(index) {
  return el("span", { class: "class-label" }, swatch(index), className(index));
}

const MAX_IN_LEGEND = 12;

function legend() {
  const more = data.classes.length - MAX_IN_LEGEND;
  return el("p", { class: "legend", "aria-label": "Classes" }, data.classes.slice(0, MAX_IN_LEGEND).map((_, index) => classLabel(index)),
    more > 0 ? say("more", { n: more }) : null);
}

// The mix of classes as one bar, with its numbers for screen readers.
function mixBar(shares) {
  const text = shares.map((share, index) => `${className(index)} ${percent(share)}`).join(", ");
  const bar = el("span", { class: "mix", role: "img", "aria-label": text, title: text });
  shares.forEach((share, index) => {
    if (share <= 0) return;
    const piece = el("span");
    piece.style.flexGrow = share;
    piece.style.background = colorOf(index);
    bar.append(piece);
  });
  return bar;
}

async function copyText(text, control) {
  const before = control.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "aside", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  control.textContent = "Copied";
  setTimeout(() => { control.textContent = before; }, 1200);
}

function saveText(text, name, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
