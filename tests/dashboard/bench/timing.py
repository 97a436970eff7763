"""Times of pages, taken by the page itself: from the start of its navigation."""

import statistics

TIMER = """
(() => {
  const selector = %s;
  const look = () => {
    if (window.readyAt !== undefined || !document.querySelector(selector)) return;
    window.readyAt = performance.now();
    requestAnimationFrame(() => setTimeout(() => (window.freeAt = performance.now())));
  };
  new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true});
})();
"""


def opened(browser, url, selector, script=""):
    """A page that is complete, and when it was, in milliseconds. script: runs before those of the page."""
    page = browser.page("about:blank")
    source = TIMER % repr(selector) + script
    page.call("Page.addScriptToEvaluateOnNewDocument", source=source)
    page.open(url)
    return page, page.wait("window.readyAt")


def ready_ms(browser, url, selector):
    page, ready = opened(browser, url, selector)
    page.close()
    return ready


def interactive_ms(browser, url, selector):
    """When a page has the element, and its thread has done what was left of that frame: it answers a hand."""
    page, _ = opened(browser, url, selector)
    free = page.wait("window.freeAt")
    page.close()
    return free


def first_paint_ms(browser, url):
    page, _ = opened(browser, url, "main h1")
    paint = page.wait("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
    page.close()
    return paint


def requests(browser, url, selector):
    page, _ = opened(browser, url, selector)
    count = len([one for one in page.urls if one.startswith("http")])
    page.close()
    return count


def sort_ms(browser, url):
    page, _ = opened(browser, url, "tr.row")
    took = page.run(
        "(async () => { const began = performance.now();"
        " document.querySelectorAll('thead button')[5].click();"
        " await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));"
        " return performance.now() - began; })()"
    )
    page.close()
    return took


HOVER = """
(async () => {
  const canvas = document.querySelector('[data-card=curves] canvas');
  const box = canvas.getBoundingClientRect();
  let most = 0;
  for (let i = 0; i < 40; i++) {
    const began = performance.now();
    canvas.dispatchEvent(new PointerEvent('pointermove', {
      clientX: box.left + 100 + (i * 37) % (box.width - 160),
      clientY: box.top + 40 + (i * 53) % 340,
    }));
    most = Math.max(most, performance.now() - began);
    await new Promise((done) => requestAnimationFrame(done));
  }
  return most;
})()
"""

ZOOM = """
(async () => {
  const canvas = document.querySelector('[data-card=curves] canvas');
  const before = canvas.dataset.density;
  const drawn = new Promise((done) => new MutationObserver(() => {
    if (canvas.dataset.density !== before) done(performance.now());
  }).observe(canvas, {attributes: true}));
  const box = canvas.getBoundingClientRect();
  const at = (x) => ({clientX: box.left + x, clientY: box.top + 100, button: 0, pointerId: 1});
  canvas.setPointerCapture = () => {};
  const began = performance.now();
  canvas.dispatchEvent(new PointerEvent('pointerdown', at(%d)));
  canvas.dispatchEvent(new PointerEvent('pointerup', at(%d)));
  return (await drawn) - began;
})()
"""


def hover_and_zoom_ms(browser, url):
    page, _ = opened(browser, url, "canvas[data-density]")
    hover = page.run(HOVER)
    zooms = [page.run(ZOOM % (200 + 40 * i, 900 - 40 * i)) for i in range(5)]
    page.close()
    return hover, statistics.median(zooms)


def heap_of(page):
    page.call("HeapProfiler.collectGarbage")
    page.call("Performance.enable")
    metrics = {one["name"]: one["value"] for one in page.call("Performance.getMetrics")["metrics"]}
    return metrics["JSHeapUsedSize"] / 1e6


def heap_mb(browser, url, selector):
    page, _ = opened(browser, url, selector)
    used = heap_of(page)
    page.close()
    return used


def slowest_tab_ms(browser, url, selector, count):
    pages = [opened(browser, url, selector) for _ in range(count)]
    for page, _ in pages:
        page.close()
    return max(ready for _, ready in pages)
