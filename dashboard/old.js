// For browsers without modules.
document.addEventListener("DOMContentLoaded", function () {
  document.getElementById("main").textContent =
    "This browser is too old for the dashboard. Use a version of Chromium, Firefox or Safari from " +
    "2023 or later, or the command line: hone ls, hone watch, hone best.";
});
