// Places of a text in another one. Pure.

/**
 * Where `needle` is in `text`, whatever its case, without overlaps; at most `most` places.
 * @param {string} text @param {string} needle @param {number} [most] @returns {number[]}
 */
export function placesOf(text, needle, most = 1000) {
  if (needle === "") return [];
  const [all, one] = [lowered(text), lowered(needle)];
  const found = [];
  for (let at = all.indexOf(one); at >= 0 && found.length < most; at = all.indexOf(one, at)) {
    found.push(at);
    at += one.length;
  }
  return found;
}

/**
 * A text of the same length: some letters become two in lower case.
 * @param {string} text
 */
const lowered = (text) =>
  text.replace(/[A-Z]|[^\x00-\x7f]/g, (c) =>
    c.toLowerCase().length === c.length ? c.toLowerCase() : c,
  );
