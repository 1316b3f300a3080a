// ---- the values of a row of names and values, or of an array in the order of FEATURES

function readerOf(row) {
  if (Array.isArray(row) && row.length !== FEATURES.length) throw new RangeError("A row has " + FEATURES.length + " values.");
  const valueOf = (feature) => {
    const name = FEATURES[feature];
    return Array.isArray(row) ? row[feature] : Object.prototype.hasOwnProperty.call(row, name) ? row[name] : undefined;
  };
  const isAbsent = (value) => value === null || value === undefined || Number.isNaN(value);
  for (const feature of REFUSED) {
    const value = valueOf(feature);
    if (isAbsent(value) || CATEGORIES[feature].has(value)) continue;
    throw new RangeError(JSON.stringify(FEATURES[feature]) + " holds " + JSON.stringify(value) + ", which the model does not know and refuses.");
  }
  return (feature) => {
    const value = valueOf(feature), isMissing = isAbsent(value);
    if (CATEGORIES[feature] !== undefined) return CATEGORIES[feature].get(value) ?? (isMissing ? null : OTHERS[feature] ?? null);
    if (isMissing) return null;
    if (typeof value === "string") throw new TypeError("A number is needed, not a text.");
    const number = Number(value);
    return Number.isNaN(number) ? null : number;
  };
}
