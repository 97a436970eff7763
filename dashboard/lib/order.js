// Sorts many items by a number of each: no function compares two of them. Pure.

const fewKeys = 4096; // below, the counts of 65,536 digits would take longer than the keys

/** The digits of numbers, lowest first, which ascend as the numbers do: a set sign turns all bits,
 * a clear one itself. NaN is behind all.
 * @param {Float64Array} keys @returns {Uint8Array | Uint16Array} */
function sortableDigits(keys) {
  const numbers = new Float64Array(keys.length);
  const words = new Uint32Array(numbers.buffer);
  for (let i = 0; i < keys.length; i++) {
    numbers[i] = keys[i] + 0; // -0 is 0
    const turned = words[2 * i + 1] >>> 31 ? 0xffffffff : 0;
    words[2 * i] ^= turned;
    words[2 * i + 1] ^= turned || 0x80000000;
    if (Number.isNaN(keys[i])) words[2 * i] = words[2 * i + 1] = 0xffffffff;
  }
  return new (keys.length < fewKeys ? Uint8Array : Uint16Array)(numbers.buffer);
}

/**
 * The places of numbers in ascending order: equal ones as they came, NaN last. By one digit after
 * another: no number is compared with another one.
 * @param {Float64Array} keys @returns {Int32Array}
 */
export function ascending(keys) {
  const digits = sortableDigits(keys);
  const each = 8 / digits.BYTES_PER_ELEMENT; // digits of a number
  let order = new Int32Array(keys.length);
  let next = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) order[i] = i;
  for (let digit = 0; digit < each; digit++) {
    const places = new Int32Array(256 ** digits.BYTES_PER_ELEMENT);
    for (let at = digit; at < digits.length; at += each) places[digits[at]]++;
    if (places[digits[digit]] === keys.length) continue; // all the same: half of a short number is
    let place = 0;
    for (let value = 0; value < places.length; value++) {
      const count = places[value];
      places[value] = place;
      place += count;
    }
    for (let i = 0; i < order.length; i++)
      next[places[digits[each * order[i] + digit]]++] = order[i];
    [order, next] = [next, order];
  }
  return order;
}

/**
 * Items by a number of each, smaller ones first; equal ones as they came.
 * @template T @param {T[]} items @param {(item: T) => number} keyOf @returns {T[]}
 */
export function sortedBy(items, keyOf) {
  const keys = new Float64Array(items.length); // from() takes ten times as long
  let rises = true;
  for (let i = 0; i < items.length; i++) {
    keys[i] = keyOf(items[i]);
    if (i > 0 && !(keys[i - 1] <= keys[i])) rises = false;
  }
  if (rises) return items.slice();
  const order = ascending(keys);
  const sorted = new Array(items.length);
  for (let i = 0; i < order.length; i++) sorted[i] = items[order[i]];
  return sorted;
}
