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
const FONT = '"Segoe UI", "Helvetica Neue", Helvetica, Arial, "Liberation Sans", Roboto, system-ui, sans-serif';

function textWidth(text, font) {
  ruler.font = `${font} ${FONT}`;
  return ruler.measureText(text).width;
}

function widest(texts, font = "12px") {
  return Math.max(0, ...texts.map((text) => textWidth(text, font)));
}

// Where the clipboard is refused, the element that shows the text, if any, is selected instead.
async function copyText(text, control, shown) {
  const before = control.textContent;
  const isCopied = await navigator.clipboard?.writeText(text).then(() => true, () => false) || copiedByCommand(text);
  if (!isCopied && shown) getSelection().selectAllChildren(shown);
  control.textContent = isCopied ? "Copied" : shown ? "Selected" : "Not copied";
  setTimeout(() => { control.textContent = before; }, 1200);
}

function copiedByCommand(text) {
  const area = el("textarea", { class: "aside", readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  return isCopied;
}

function saveText(text, name, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
