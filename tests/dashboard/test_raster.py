"""The density of all curves: what the page's module draws equals a plain drawing of one curve after the other."""

import json

import world

# Two drawings of random curves: by the module, and each curve on its own, column by column.
COMPARE = """
(async () => {
  const { raster } = await import("/ui/dev/lib/raster.js");
  let seed = 7;
  const random = () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 4294967296;
  const nearest = (y) => ((y + 1.5) | 0) - 1;
  const forms = {
    linear: (value) => value,
    log: (value) => (value > 0 ? Math.log10(value) : NaN),
    symlog: Math.asinh,
  };

  function plainly({ cells, points, rows, xs, width, height, low, high, form }) {
    const counts = new Uint32Array(width * height);
    const to = forms[form];
    for (const row of rows) {
      const least = new Array(width).fill(Infinity);
      const most = new Array(width).fill(-Infinity);
      let before = null;
      for (let k = 0; k < points; k++) {
        const value = cells[row * points + k];
        if (!Number.isFinite(value)) continue;
        const share = (to(value) - to(low)) / (to(high) - to(low));
        const at = Math.round((height - 1) * (1 - share));
        const y = Number.isFinite(at) ? Math.max(-1, Math.min(height, at)) : height;
        const [x0, y0] = before ?? [xs[k], y];
        const length = Math.max(1, xs[k] - x0);
        for (let x = Math.max(0, x0); x <= Math.min(width - 1, xs[k]); x++)
          for (const side of [Math.max(0, x - x0 - 0.5), Math.min(length, x - x0 + 0.5)]) {
            const end = nearest(y0 + ((y - y0) / length) * side);
            least[x] = Math.min(least[x], end);
            most[x] = Math.max(most[x], end);
          }
        before = [xs[k], y];
      }
      for (let x = 0; x < width; x++)
        for (let y = Math.max(0, least[x]); y <= Math.min(height - 1, most[x]); y++)
          counts[y * width + x]++;
    }
    return counts;
  }

  function some(turn) {
    const size = (most) => 1 + Math.floor(random() * most);
    const [runs, points, width, height] = [size(50), size(150), size(300), size(100)];
    const cells = Float32Array.from({ length: runs * points }, () => {
      const luck = random();
      return luck < 0.1 ? NaN : luck < 0.12 ? Infinity : 500 * random() - 5;
    });
    const [from, to] = turn % 2 ? [0, 1] : [random() / 2, 0.55 + random() / 3]; // a zoom
    const xs = Int32Array.from({ length: points }, (_, k) =>
      Math.round((((k + 1) / points - from) / (to - from)) * width),
    );
    const form = ["linear", "log", "symlog"][turn % 3];
    const rows = Array.from({ length: runs }, (_, run) => run).filter(() => random() < 0.9);
    return { cells, points, rows, xs, width, height, low: 1, high: 490, form };
  }

  const differing = [];
  let drawn = 0;
  for (let turn = 0; turn < 60; turn++) {
    const request = some(turn);
    const [one, other] = [raster(request), plainly(request)];
    drawn += other.reduce((sum, count) => sum + count, 0);
    if (one.some((count, at) => count !== other[at])) differing.push(turn);
  }
  return JSON.stringify({ differing, drawn });
})()
"""


def test_density_equals_that_of_curves_drawn_one_by_one(tmp_path, pages, monkeypatch):
    modules = world.E2E.parents[1] / "dashboard"
    monkeypatch.setenv("HONE_DASHBOARD_DIR", str(modules))
    server = world.start(tmp_path / "data")
    page = pages(f"http://127.0.0.1:{server.port}/")
    page.wait("document.querySelector('main h1')")
    compared = json.loads(page.run(COMPARE))
    assert compared["differing"] == [] and compared["drawn"] > 100_000, compared
    assert server.stop() == 0
