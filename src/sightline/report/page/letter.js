// ---- letter: the row in the panel as a plain letter, word for word as Python's show/_letter.py writes it

class Letter {
  constructor() {
    this.text = el("pre", { class: "letter-text" });
    this.note = el("p", { class: "letter-note", "aria-live": "polite" });
    const copy = button("Copy", () => copyText(this.text.textContent, copy, this.text));
    this.element = el("details", { class: "letter", ontoggle: () => this.write() }, el("summary", null, "As a letter"), this.note, this.text, copy);
    this.write = () => {};
  }

  // The row is one of the report's, or null if a person made it up.
  show(model, row, result, listed) {
    this.element.hidden = !data.letter || !model.letter;
    this.write = () => {
      if (!this.element.open || this.element.hidden) return;
      this.text.textContent = letterText(model, row, result, listed === null ? null : rowLabel(listed));
      this.note.textContent = letterNote(model, row, result, listed);
    };
    this.write();
  }
}

// Whether the ensemble agrees, which the page knows for rows of the report and for proved leaves only.
function letterNote(model, row, result, listed) {
  const isNumber = data.task === "numbers";
  if ((isNumber ? model.gap : model.agreed) === null) return "";
  if (listed === null || !data.rows.ensemble_label) {
    const isProved = model.proof?.[result.leaf] === "proved" && !row.includes(null);
    return say(isProved ? "proved_leaf" : "letter_unknown");
  }
  const own = isNumber ? result.output[0] : result.best, other = data.rows.ensemble_label[listed];
  if (own === other) return say("letter_agrees");
  return say("letter_differs", { own: task().text(own), other: task().text(other), noun: model.noun });
}

function letterText(model, row, result, name) {
  const changes = changesOf(model, row, result), reasons = letterReasons(model, row, changes);
  const values = {
    row: name,
    result: `${letterPrefix()}${data.task === "numbers" ? predictedText(result.output[0], 6) : className(result.best)}`,
    reasons: reasons.map((reason, index) => `${index + 1}. ${reason}`).join("\n") || noReason(model, result, changes),
    evidence: letterEvidence(model, result),
  };
  const fitting = { row: name !== null, reasons: reasons.length, several_reasons: reasons.length > 1, evidence: values.evidence, facts: reasons.length };
  return letterTemplate(fitting).replace(/\$(\$|\w+)/g, (_, key) => (key === "$" ? "$" : values[key]));
}

// Without the frames that do not fit what they are about.
function letterTemplate(fitting) {
  const others = Object.entries(data.letter.frames).filter(([name]) => !fitting[name]).map(([, frame]) => frame);
  return others.reduce((text, [frame, instead]) => text.replaceAll(frame, () => instead), data.letter.template);
}

// "The outcome was outcome = sepsis" says nothing more than "the outcome was sepsis".
function letterPrefix() {
  return data.letter.generic_targets.includes(data.target?.toLowerCase()) ? "" : targetPrefix();
}

function letterSay(key, values) {
  return filled(data.letter.sentences[key], values);
}

function noReason(model, { best }, changes) {
  if (!changes.size) return letterSay("none_used");
  return letterSay(data.task !== "numbers" && model.letter.usual === best ? "usual" : "none_stands_out");
}

// The tests that a row passes, by ascending node: [node, branch, how much of the row goes this way].
function partedSteps(model, row) {
  const valueOf = (feature) => row[feature];
  return [...splitRow(model, valueOf)].flatMap((part, node) => {
    if (part === 0 || isLeaf(model, node)) return [];
    const branch = branchOf(model, node, valueOf);
    if (branch !== model.split) return [[node, branch, part]];
    return model.children[node].map((_, each) => [node, each, part * model.share[model.first[node] + each]]).filter(([, , share]) => share > 0);
  });
}

// Per feature, in the order of first tests: how much it raised the merit of the label, or the number. The merit of a
// label is its probability, which leaves have anyway, or its lead in expected cost, as label_merits in show/nodes/_routes.py.
function changesOf(model, row, result) {
  const isNumber = data.task === "numbers", merits = model.letter.merits;
  const ofLeaf = (node) => model.output[model.first[node]][isNumber ? 0 : result.best];
  const ofTest = (node) => (isNumber ? model.value[node] : merits[node][result.best] ?? 0);
  const answer = (node) => (isLeaf(model, node) && !merits?.[node] ? ofLeaf(node) : ofTest(node));
  const changes = new Map();
  const add = (feature, change) => changes.set(feature, (changes.get(feature) ?? 0) + change);
  for (const [node, branch, part] of partedSteps(model, row)) add(model.feature[node], part * (answer(model.children[node][branch]) - answer(node)));
  for (const [feature, change] of lineChanges(model, row, result)) add(feature, change);
  return changes;
}

// What the line of a leaf adds. Where a bound cuts it off, every term counts in part.
function lineChanges(model, row, { leaf, output }) {
  if (leaf < 0 || data.task !== "numbers" || !hasLine(model, leaf)) return [];
  const at = model.first[leaf], terms = [];
  for (let term = model.term_begin[at]; term < model.term_begin[at + 1]; term++) {
    const feature = model.term_feature[term];
    if (row[feature] !== null) terms.push([feature, model.slope[term] * (row[feature] - model.center[term])]);
  }
  const total = terms.reduce((sum, [, change]) => sum + change, 0), added = output[0] - model.output[at][0];
  return total ? terms.map(([feature, change]) => [feature, (change * added) / total]) : [];
}

// What spoke against a label is no reason for it; of a number, all reasons count.
function letterReasons(model, row, changes) {
  const counted = [...changes].filter(([, change]) => (data.task === "numbers" ? change !== 0 : change > 0));
  counted.sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  return counted.slice(0, data.letter.n_reasons).map(([feature]) => letterReason(model, row, feature));
}

function letterReason(model, row, feature) {
  const column = data.columns[feature], name = column.name.replaceAll("_", " ");
  if (row[feature] === null) return letterSay("not_known", { name });
  const [value, bounds] = letterValue(model, row, feature);
  return letterSay(bounds ? "bounded" : "value", { name, value, bounds });
}

// A value, and what the tests that the row passes say about it.
function letterValue(model, row, feature) {
  const column = data.columns[feature], value = row[feature];
  if (column.values) return [letterCategory(feature, value), notThese(feature, excludedCodes(model, row, feature))];
  const [lowNode, highNode] = letterBounds(model, row, feature);
  if (column.kind && column.kind !== "clock") return [cellText(feature, value), instantBounds(column, ...[lowNode, highNode].map((node) => (node === null ? null : model.threshold[node])))];
  const [low, isFrom] = shownBound(model, lowNode, value), [high, isBelow] = shownBound(model, highNode, value);
  const [text, lowText, highText] = letterNumbers(value, [low, high], column);
  return [text, boundsText(lowText, isFrom, highText, isBelow)];
}

// The categories that a condition names because they do not meet it, as FeatureWording.excluded finds them.
function excludedCodes(model, row, feature) {
  const { values, has_other: hasOther } = data.columns[feature], codes = values.map((_, code) => code);
  const steps = partedSteps(model, row).filter(([node]) => model.feature[node] === feature);
  const left = codes.filter((code) => steps.every(([node, branch]) => branchOf(model, node, () => code) === branch));
  const nOthers = codes.length - left.length;
  const namesLeft = hasOther && left.includes(codes.length - 1) ? left.length < nOthers : left.length <= Math.max(data.letter.few_values, nOthers);
  return namesLeft ? [] : codes.filter((code) => !left.includes(code));
}

// Yes or no instead of True or False, as _plain in show/_letter.py.
function letterCategory(feature, code) {
  const text = cellText(feature, code), flag = text.toLowerCase();
  return flag === "true" || flag === "false" ? letterSay(flag) : text;
}

function notThese(feature, codes) {
  if (!codes.length) return "";
  const most = data.letter.max_values, n = codes.length - most;
  const values = codes.slice(0, most).map((code) => letterCategory(feature, code)).join(", ");
  return letterSay(n > 0 ? "not_these_and_more" : "not_these", { values, n: grouped.format(n) });
}

// The bounds of a date, time or duration; of a date, by the first day beyond them.
function instantBounds({ kind }, low, high) {
  const isDay = kind === "date";
  const [lowText, highText] = [low, high].map((bound) => (bound === null ? "" : numberOfColumn({ kind }, isDay ? Math.floor(bound) + 1 : bound)));
  if (kind === "duration") return boundsText(lowText, false, highText, false);
  const lower = lowText && letterSay(isDay ? "from_day" : "after", { low: lowText });
  const upper = highText && letterSay(isDay ? "before_day" : "until", { high: highText });
  return [lower, upper].filter(Boolean).join(", ");
}

function boundsText(low, isFrom, high, isBelow) {
  const upper = isBelow ? "below" : "up_to";
  if (!low) return high && letterSay(upper, { high });
  if (!high) return letterSay(isFrom ? "from" : "above", { low });
  return letterSay(isFrom ? "between_from" : "between_above", { low }) + letterSay(isBelow ? upper : "between_up_to", { high });
}

// The number to write for the threshold of a node, and whether the test asks for less than that: null without a node.
function shownBound(model, node, value) {
  if (node === null) return [null, false];
  const bound = model.threshold[node], [shown, isBelow] = model.letter.shown[node] ?? [bound, false];
  return bound < value && value < shown ? [bound, false] : [shown, isBelow];
}

// Thresholds beyond single precision only ask for missing values.
const BEYOND_CUTS = 3.4e38;

// The nodes above whose threshold, and up to whose threshold, the tests that the row passes hold; null for no bound.
function letterBounds(model, row, feature) {
  let low = null, high = null;
  for (const [node, branch] of partedSteps(model, row)) {
    const bound = model.threshold[node];
    if (model.feature[node] !== feature) continue;
    if (branch && bound > (low === null ? -BEYOND_CUTS : model.threshold[low])) low = node;
    if (!branch && bound < (high === null ? BEYOND_CUTS : model.threshold[high])) high = node;
  }
  return [low, high];
}

// A number with the digits of its cell, and its bounds with few. All have their unit, and thousands separators if one is
// large: years and house numbers have none.
function letterNumbers(value, bounds, column) {
  const isLarge = [value, ...bounds].some((number) => number !== null && Math.abs(number) >= data.letter.separated_from);
  const written = (text) => (column.kind === "clock" ? hoursText(Number(text)) : inPattern(column.pattern, isLarge ? separated(text) : text));
  const [short, ...texts] = distinctTexts([value, ...bounds]), full = numberText(value, Number(value.toFixed(4)) === value ? 17 : 6);
  const own = full.length > short.length ? full : short;
  return [own, ...texts.map((text, index) => (bounds[index] === value ? own : text))].map((text) => text && written(text));
}

// Different numbers look different, as sightline.wording.distinct_strings writes them.
function distinctTexts(numbers) {
  const known = new Set(numbers.filter((value) => value !== null));
  const texts = new Map();
  let alike = [...known];
  for (let digits = 6; alike.length && digits <= 17; digits++) {
    for (const value of alike) texts.set(value, numberText(value, digits));
    const written = alike.map((value) => texts.get(value));
    alike = alike.filter((_, index) => written.indexOf(written[index]) !== written.lastIndexOf(written[index]));
  }
  return numbers.map((value) => (value === null ? "" : texts.get(value)));
}

function letterEvidence(model, { leaf, output, best }) {
  const rows = leaf >= 0 && model.letter.has_rows ? model.rows[leaf] : 0, n = grouped.format(Number(fixed(rows, 0)));
  // Neither the sum of weights nor parts of a case are a number of cases.
  const isPart = rows !== 1 && rows < data.letter.few_cases;
  const weighted = model.letter.is_weighted || isPart ? "weighted_" : "", one = rows === 1 && !weighted ? "one_case" : "";
  if (rows && model.letter.has_labels) {
    const share = model.share_text[leaf], outcome = `${letterPrefix()}${className(best)}`;
    if (share === say("percent", { number: 100 })) return letterSay(one || `all_${weighted}cases`, { n, outcome });
    if (model.letter.without.includes(leaf)) return letterSay(one ? `not_the_${one}` : `none_of_${weighted}cases`, { n, outcome, ...model.letter.compared[leaf] });
    if (leaf in model.letter.compared) return letterSay(`compared_${weighted}cases`, { n, outcome, ...model.letter.compared[leaf] });
    return letterSay(`of_${weighted}cases`, { n, share, outcome });
  }
  if (model.letter.has_probabilities) return letterSay("sure", { share: percent(Math.min(output[best], 1)) });
  return rows && data.task === "numbers" ? letterSay(`${one || `${weighted}cases`}_of_number`, { n }) : "";
}
