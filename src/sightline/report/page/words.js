// ---- words: numbers and conditions as sentences have them

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

function className(place) {
  return data.classes[place]?.name ?? "?";
}

// Only what is exactly all or nothing reads 100 % or 0 %.
function percent(share, digits = 0) {
  const edge = 0.5 * 10 ** (-digits - 2);
  if (share < 1 && share > 1 - edge) return `> ${(100 - 10 ** -digits).toFixed(digits)} %`;
  if (share > 0 && share < edge) return `< ${(10 ** -digits).toFixed(digits)} %`;
  return `${(100 * share).toFixed(digits)} %`;
}

function counted(n, one, many = `${one}s`) {
  return `${grouped.format(n)} ${n === 1 ? one : many}`;
}

// A number for reading; the exact one is kept for whoever asks.
function shortNumber(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e15) return String(Number(value.toPrecision(size >= 1e5 ? 8 : 6)));
  return value.toExponential(3).replace("+", "");
}

function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function listed(words, joint = "or") {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1)}`;
}

const MAX_VALUES = 6;

function valueNames(feature, codes) {
  const names = codes.slice(0, MAX_VALUES).map((code) => data.columns[feature].values[code]);
  if (codes.length > MAX_VALUES) names.push(`${codes.length - MAX_VALUES} more`);
  return listed(names);
}

// Values that are left, or those that are not where they are fewer.
function membershipText(feature, codes) {
  const column = data.columns[feature];
  const inside = new Set(codes);
  const outside = column.values.map((_, code) => code).filter((code) => !inside.has(code));
  if (!codes.length) return `${column.name} has no value`;
  if (!outside.length) return `${column.name} has a value`;
  if (codes.length <= Math.max(2, outside.length)) return `${column.name} is ${valueNames(feature, codes)}`;
  const joint = outside.length > 1 ? "neither " : "not ";
  return `${column.name} is ${joint}${valueNames(feature, outside).replace(/ or /, " nor ")}`;
}

const atMostText = ({ text, excludes }) => `${excludes ? "below" : "at most"} ${text}`;
const aboveText = ({ text, excludes }) => `${excludes ? "at least" : "above"} ${text}`;

// low < x <= high, each {value, text, excludes} or null where there is no bound. A bound that excludes the number
// that its text names is the last one before it.
function intervalText(feature, low, high) {
  const name = data.columns[feature].name;
  if (low?.value === ANY_NUMBER) return `${name} has no value`;
  if (high?.value === ANY_NUMBER) high = null;
  if (!low && !high) return `${name} has a value`;
  return `${name} is ${[low && aboveText(low), high && atMostText(high)].filter(Boolean).join(" and ")}`;
}
