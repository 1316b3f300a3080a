// ---- words: the sentences of Python's report/_words.py, filled in

const { units, sentences } = data.words;
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

function say(key, values = {}) {
  return filled(sentences[key], values);
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// What the model replaces, at the start of a sentence or column: "Ensemble" or "Black box".
function teacherName() {
  const { teacher } = data.words;
  return teacher[0].toUpperCase() + teacher.slice(1);
}

// As sightline.wording.pluralize does.
function count(n, unit) {
  const [one, many] = Array.isArray(unit) ? unit : units[unit];
  return `${grouped.format(n)} ${n === 1 ? one : many}`;
}

// As Python writes digits after the point: of two numbers equally near, the even one.
function fixed(value, digits) {
  const text = value.toFixed(digits), isTie = (value * 2 ** (digits + 1)) % 2 === 1;
  return isTie && text.at(-1) % 2 ? (text - 10 ** -digits).toFixed(digits) : text;
}

// As sightline.wording.percent does: only exactly all and exactly nothing read 100% and 0%.
function percent(share, digits = 0) {
  const step = 10 ** -digits, number = fixed(100 * share, digits);
  if (share < 1 && number === (100).toFixed(digits)) return say("percent_over", { number: (100 - step).toFixed(digits) });
  if (share > 0 && number === (0).toFixed(digits)) return say("percent_under", { number: step.toFixed(digits) });
  return say("percent", { number });
}

function joined(texts) {
  return texts.map((text) => inParentheses(text, texts).join("")).join(say("and")) || say("always");
}

// As all_of in wording/_condition.py: beside others, a condition with an "or" gets parentheses. The shown condition may be an element.
function inParentheses(text, conditions, shown = text) {
  const hasOr = text.endsWith(" or missing") || text.includes(" is missing or none of ");
  return hasOr && conditions.length > 1 ? ["(", shown, ")"] : [shown];
}

// A number to read; fields for typing keep all digits that matter.
function shortNumber(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e15) return String(Number(value.toPrecision(size >= 1e5 ? 8 : 6)));
  return value.toExponential(3).replace("+", "");
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function cellText(feature, value) {
  if (value === null) return say("missing");
  const { values } = data.columns[feature];
  return values ? values[value] ?? say("rare_value", { n: "" }).trim() : numberOfColumn(data.columns[feature], value);
}

// A condition that does not name all its values opens to one that does.
function openable(model, text) {
  const full = model.complete?.[text];
  return full ? el("details", { class: "complete" }, el("summary", null, text), full) : text;
}
