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

const MICRO = 1e6;

// As sightline.wording.instant_text writes durations: "18 days 18:00:00".
function durationText(seconds) {
  const size = Math.round(Math.abs(seconds) * MICRO), two = (number) => String(number).padStart(2, "0");
  const days = Math.floor(size / (DAY * MICRO)), rest = size % (DAY * MICRO), whole = Math.floor(rest / MICRO);
  const fraction = rest % MICRO ? `.${String(rest % MICRO).padStart(6, "0")}`.replace(/0+$/, "") : "";
  const time = `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}${fraction}`;
  const parts = [days ? `${grouped.format(days)} day${days === 1 ? "" : "s"}` : "", rest || !days ? time : ""];
  return (seconds < 0 ? "-" : "") + parts.filter(Boolean).join(" ");
}

// The seconds of such a text, NaN for any other.
function durationNumber(text) {
  const [whole, sign, days, hours, minutes, seconds] = text.trim().match(/^(-?)(?:(\d{1,3}(?:,\d{3})+|\d+) *days?)? *(?:(\d+):(\d\d?)(?::(\d\d?(?:\.\d+)?))?)?$/) ?? [];
  if (!whole) return NaN;
  const [d, h, m, s] = [days, hours, minutes, seconds].map((part) => Number((part ?? "0").replaceAll(",", "")));
  return (sign ? -1 : 1) * (DAY * d + 3600 * h + 60 * m + s);
}

// Hours, with minutes and seconds after colons.
function hoursText(hours) {
  const seconds = Math.round(Math.abs(hours) * 3600), two = (number) => String(number).padStart(2, "0");
  return `${hours < 0 ? "-" : ""}${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}${seconds % 60 ? `:${two(seconds % 60)}` : ""}`;
}

function numberOfColumn({ kind, pattern }, value) {
  if (kind === "duration") return durationText(value);
  if (kind === "clock") return hoursText(value);
  if (kind) return isoText(kind, value).replace("T", " ") + (kind === "datetime UTC" ? " UTC" : "");
  return inPattern(pattern, shortNumber(value));
}

// A number with the unit of its column; the sign comes before a currency.
function inPattern(pattern = "#", text) {
  const sign = text.startsWith("-") && !pattern.startsWith("#") ? "-" : "";
  return sign + pattern.replace("#", () => text.slice(sign.length));
}
