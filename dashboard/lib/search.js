// What is typed in a search field, in the server's filter language: an expression as it is, with
// bare names of parameters; plain words as what they may be part of. Pure.

const trialFields = new Set(
  "tag note id number state reason value best_report confirmed expected phase runs proposed pinned from creator".split(
    " ",
  ),
);

const isExpression = (text) => /[=<>~()"]/.test(text);
const quoted = (word) => `"${word.replaceAll(/["\\]/g, "")}"`;
const wordsIn = (text) => text.trim().split(/\s+/).filter(Boolean);
const anyOf = (list) => (list.length > 1 ? `(${list.join(" or ")})` : list[0]);

/** @param {string} name of a parameter */
export const fieldName = (name) =>
  /^[A-Za-z_][\w-]*$/.test(name) ? `params.${name}` : `params.${quoted(name)}`;

// A choice with texts among its values.
const hasTexts = (domain) =>
  domain.type === "choice" && domain.values.some((value) => typeof value === "string");

const trialWord = (parameters) => (word) => {
  if (/^tr_\d+$/.test(word)) return `id = ${word}`;
  const texts = Object.keys(parameters).filter((name) => hasTexts(parameters[name]));
  const named = ["state", "reason", "tag", "note", ...texts.map(fieldName)];
  const list = named.map((name) => `${name} ~ ${quoted(word)}`);
  if (/^\d+$/.test(word)) list.push(`number = ${word}`);
  return anyOf(list);
};

// Outside of quotes, names before an operator.
const nameBeforeOperator = /"[^"]*"|(?<![\w."])([A-Za-z_][\w-]*)(?=\s*(?:!=|[=<>~]))/g;

function withParams(text, parameters) {
  return text.replaceAll(nameBeforeOperator, (all, name) =>
    name !== undefined && !trialFields.has(name) && name in parameters ? `params.${name}` : all,
  );
}

/**
 * The filter of trials that a text means.
 * @param {string} text @param {Record<string, {type: string, values?: unknown[]}>} [parameters]
 */
export function trialsWhere(text, parameters = {}) {
  if (isExpression(text)) return withParams(text, parameters);
  return wordsIn(text).map(trialWord(parameters)).join(" and ");
}

const sweepWord = (word) =>
  /^sw_\d+$/.test(word)
    ? `id = ${word}`
    : anyOf(
        ["name", "project", "tag", "note", "state", "method", "trainer", "objective"].map(
          (name) => `${name} ~ ${quoted(word)}`,
        ),
      );

/** The filter of sweeps that a text means. @param {string} text */
export const sweepsWhere = (text) =>
  isExpression(text) ? text : wordsIn(text).map(sweepWord).join(" and ");
