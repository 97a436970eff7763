// Scales between values and positions, and their ticks. Pure.

const straight = { to: (x) => x, from: (x) => x };
const forms = {
  linear: straight,
  log: { to: (x) => Math.log10(x), from: (x) => 10 ** x },
  symlog: { to: (x) => Math.asinh(x), from: (x) => Math.sinh(x) },
};

// scale("log", [1e-5, 1e-2], [0, 300]): .at(value) is a position, .value(position) its inverse.
export function scale(kind, domain, range) {
  const usable = kind === "log" && !(domain[0] > 0) ? "symlog" : kind;
  const form = forms[usable] ?? straight;
  const [a, b] = domain.map(form.to);
  const span = b - a || 1;
  const length = range[1] - range[0];
  return {
    kind: usable,
    domain,
    range,
    at: (value) => range[0] + ((form.to(value) - a) / span) * length,
    value: (position) => form.from(a + ((position - range[0]) / (length || 1)) * span),
    ticks: (most = 6) => ticks(usable, domain, most),
  };
}

export function ticks(kind, [low, high], most = 6) {
  if (kind === "log") return logTicks(low, high, most);
  if (kind === "symlog") return symlogTicks(low, high, most);
  const step = niceStep(Math.abs(high - low) / Math.max(1, most));
  if (!(step > 0)) return [low];
  const found = [];
  const first = Math.ceil(Math.min(low, high) / step - 1e-9);
  const last = Math.floor(Math.max(low, high) / step + 1e-9);
  for (let k = first; k <= last; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

const timeSteps = [
  ...[0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => 60 * minutes),
  ...[1, 2, 3, 6, 12, 24, 48, 168, 720].map((hours) => 3600 * hours),
].map((seconds) => 1000 * seconds);

// Of times in milliseconds: at whole seconds, minutes, hours or days of a clock that is `offset`
// milliseconds ahead.
export function timeTicks([low, high], most, offset = 0) {
  const step = timeSteps.find((one) => (high - low) / one <= most) ?? timeSteps.at(-1);
  const found = [];
  for (let at = Math.ceil((low + offset) / step) * step - offset; at <= high; at += step)
    found.push(at);
  return found;
}

function niceStep(raw) {
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= raw * (1 - 1e-9));
  return factor * power;
}

function logTicks(low, high, most) {
  const from = Math.floor(Math.log10(low) + 1e-9);
  const to = Math.ceil(Math.log10(high) - 1e-9);
  const stride = Math.max(1, Math.ceil((to - from) / most));
  const steps = to - from <= 2 ? [1, 2, 5] : [1];
  const found = [];
  for (let e = from; e <= to; e += stride) {
    for (const step of steps) {
      const value = Number((step * 10 ** e).toPrecision(6));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value);
    }
  }
  return found.length > 1 ? found : ticks("linear", [low, high], most);
}

function symlogTicks(low, high, most) {
  const top = Math.ceil(Math.log10(Math.max(1, Math.abs(low), Math.abs(high))));
  const stride = Math.max(1, Math.ceil((2 * top) / most));
  const found = low <= 0 && high >= 0 ? [0] : [];
  for (let e = 0; e <= top; e += stride)
    for (const sign of [-1, 1]) {
      const value = sign * 10 ** e;
      if (value >= low && value <= high) found.push(value);
    }
  return found.sort((a, b) => a - b);
}

/**
 * The range of most values: outliers beyond three times the spread of the middle 98 % are left to
 * the rim. Both ends of ordinary data are kept exactly.
 * @param {ArrayLike<number>} values @returns {[number, number]}
 */
export function robustRange(values) {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  if (sorted.length === 0) return [0, 1];
  const at = (share) => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = [at(0.01), at(0.99)];
  const spread = high - low || Math.abs(high) || 1;
  const first = sorted[0] < low - 3 * spread ? low : sorted[0];
  const last = sorted[sorted.length - 1] > high + 3 * spread ? high : sorted[sorted.length - 1];
  return first === last ? [first - spread * 0.5, last + spread * 0.5] : [first, last];
}

export const withBar = ([low, high], bar) =>
  bar === null || bar === undefined ? [low, high] : [Math.min(low, bar), Math.max(high, bar)];

export function padded([low, high], share = 0.04) {
  const margin = (high - low) * share || Math.abs(high) * share || 1;
  return [low - margin, high + margin];
}
