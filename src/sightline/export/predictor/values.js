// ---- the values of a row of names and values, or of an array in the order of FEATURES

function readerOf(row) {
  if (Array.isArray(row) && row.length !== FEATURES.length) throw new RangeError("A row has " + FEATURES.length + " values.");
  return (feature) => {
    const name = FEATURES[feature];
    const value = Array.isArray(row) ? row[feature] : Object.prototype.hasOwnProperty.call(row, name) ? row[name] : undefined;
    const isMissing = value === null || value === undefined || Number.isNaN(value);
    if (CATEGORIES[feature] !== undefined) return CATEGORIES[feature].get(value) ?? (isMissing ? null : OTHERS[feature] ?? null);
    if (isMissing) return null;
    if (typeof value === "string") throw new TypeError("A number is needed, not a text.");
    const number = Number(value);
    return Number.isNaN(number) ? null : number;
  };
}
