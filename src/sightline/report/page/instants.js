// ---- instants: dates, times and durations, which are numbers of days or seconds since 1970

const DAY = 86400;
const INSTANT_FIELDS = { date: "date", datetime: "datetime-local", "datetime UTC": "datetime-local" };

// Cut off after the day, or after the millisecond, as a field holds it.
function isoText(kind, value) {
  const text = new Date(kind === "date" ? Math.floor(value) * DAY * 1000 : Math.floor(value * 1000)).toISOString();
  return kind === "date" ? text.slice(0, 10) : text.slice(0, -1).replace(/(:00)?\.000$/, "").replace(/(\.\d*?)0+$/, "$1");
}

function isoNumber(kind, text) {
  const seconds = Date.parse(kind === "date" ? text : `${text}Z`) / 1000;
  return kind === "date" ? seconds / DAY : seconds;
}

// Hours, or days and hours, with minutes and seconds after colons.
function clockText(seconds) {
  const size = Math.round(Math.abs(seconds)), two = (number) => String(number).padStart(2, "0");
  const days = Math.floor(size / DAY), rest = size % DAY;
  const time = `${Math.floor(rest / 3600)}:${two(Math.floor(rest / 60) % 60)}${rest % 60 ? `:${two(rest % 60)}` : ""}`;
  return `${seconds < 0 ? "-" : ""}${days ? `${days} d ` : ""}${time}`;
}

// Hours, with minutes and seconds after colons.
function hoursText(hours) {
  const seconds = Math.round(Math.abs(hours) * 3600), two = (number) => String(number).padStart(2, "0");
  return `${hours < 0 ? "-" : ""}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}${seconds % 60 ? `:${two(seconds % 60)}` : ""}`;
}

function numberOfColumn({ kind, pattern }, value) {
  if (kind === "duration") return clockText(value);
  if (kind === "clock") return clockText(value * 3600);
  if (kind) return isoText(kind, value).replace("T", " ") + (kind === "datetime UTC" ? " UTC" : "");
  return inPattern(pattern, shortNumber(value));
}

// A number with the unit of its column; the sign comes before a currency.
function inPattern(pattern = "#", text) {
  const sign = text.startsWith("-") && !pattern.startsWith("#") ? "-" : "";
  return sign + pattern.replace("#", () => text.slice(sign.length));
}
