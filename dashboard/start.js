// Starts the pages after the first frame: the heading is there before their script is read. A tab
// in the background has no frames.
const start = () => import("./app.js");
if (document.hidden) start();
else requestAnimationFrame(() => setTimeout(start));
