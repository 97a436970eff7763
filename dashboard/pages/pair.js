// Two parameters of a sweep against each other.
import { scatterPlot } from "../chart/scatter.js";
import { rampStyle } from "../lib/colour.js";
import { h, replace } from "../lib/dom.js";
import { param, setParams } from "../lib/route.js";
import { empty } from "../ui/parts.js";

// The colours of ranks; the dark theme's are the light one's turned round, by the style.
export function rankLegend() {
  const box = h("span.ramp.turning", { "aria-hidden": "true" });
  box.style.setProperty("background", rampStyle(false));
  return h("span", {}, "worst", box, "best");
}

// Cells of two parameters, coloured by the mean rank of their trials.
export function pairPart(view, base, place) {
  if (view.params.length < 2) return (replace(place, empty("There is one parameter only.")), []);
  const name = (key, at) =>
    view.params.some((axis) => axis.name === param(key)) ? param(key) : view.params[at].name;
  const axis = (key, at) => view.params.find((one) => one.name === name(key, at));
  const [x, y] = [axis("px", 0), axis("py", 1)];
  const plot = scatterPlot({
    ...base,
    cells: true,
    height: 280,
    label: `Mean rank by ${x.name} and ${y.name}`,
    x,
    y,
    shareX: (row) => view.shareOf(x, row),
    shareY: (row) => view.shareOf(y, row),
  });
  const select = (key, now, title) =>
    h(
      "select",
      {
        "aria-label": title,
        onchange: (event) => {
          setParams({ [key]: event.target.value });
          plot.close();
          pairPart(view, base, place);
        },
      },
      view.params.map((one) => h("option", { value: one.name, selected: one === now }, one.name)),
    );
  replace(
    place,
    h(
      "div.bar",
      {},
      h("label", {}, "x", select("px", x, "Parameter of the x axis")),
      h("label", {}, "y", select("py", y, "Parameter of the y axis")),
      h("span.legend", {}, rankLegend(), "a cell: the mean rank of its trials"),
    ),
    plot.element,
  );
  return [plot];
}
