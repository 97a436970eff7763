// Documents whose numbers stay as they are written: 2.0, 9007199254740993, -0.0. Pure. Browsers
// without JSON.rawJSON read them as numbers, as elsewhere.

/** @type {any} */
const json = JSON;

/** @param {string} text @returns {any} */
export const readExact = (text) =>
  json.rawJSON
    ? json.parse(
        text,
        /** @param {string} _ @param {unknown} value @param {{source?: string}} context */
        (_, value, context) =>
          typeof value === "number" && context?.source && String(value) !== context.source
            ? json.rawJSON(context.source)
            : value,
      )
    : json.parse(text);

/** Whether a value is such a number. @param {unknown} value @returns {boolean} */
export const isExact = (value) => Boolean(json.isRawJSON?.(value));

/** @param {any} document @returns {any} */
export const copyOf = (document) => readExact(JSON.stringify(document));
