// A classic script, in a form that any browser reads: one that lacks what the pages need gets a
// sentence in their place.
(function () {
  var has =
    "noModule" in document.createElement("script") &&
    "findLast" in Array.prototype &&
    "replaceChildren" in Element.prototype &&
    "OffscreenCanvas" in window &&
    "ResizeObserver" in window;
  if (has) return;
  window.honeTooOld = true;
  document.getElementById("live").textContent = "";
  document.getElementById("main").textContent =
    "This browser is too old for the dashboard. Use a version of Chromium, Firefox or Safari from " +
    "2023 or later, or the command line: hone ls, hone watch, hone best.";
})();
