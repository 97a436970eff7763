// Where an object came from, and what came of it.
import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { words } from "../lib/format.js";
import { layers } from "../lib/layers.js";
import { linkOf, links } from "../lib/route.js";
import { Plot, clipped } from "../chart/plot.js";
import { card } from "../ui/card.js";
import { heading, link, table } from "../ui/parts.js";

const nodesAtMost = 200;
const [boxWidth, boxHeight, columnGap, rowGap] = [150, 34, 46, 10];

// The kinds with the most nodes are shown as one node each until the graph is small enough.
function collapsed(graph) {
  let nodes = graph.nodes;
  let { edges } = graph;
  const hidden = [];
  while (nodes.length > nodesAtMost) {
    const counts = new Map();
    for (const node of nodes)
      if (node.id !== graph.root) counts.set(node.kind, (counts.get(node.kind) ?? 0) + 1);
    const [kind, n] = [...counts].sort((a, b) => b[1] - a[1])[0];
    if (n < 2) break;
    const gone = new Set(
      nodes.filter((node) => node.kind === kind && node.id !== graph.root).map((node) => node.id),
    );
    const id = `${n} ${kind}s`;
    nodes = [
      ...nodes.filter((node) => !gone.has(node.id)),
      { id, kind, label: "too many to draw", facts: {} },
    ];
    const seen = new Set();
    edges = edges
      .map((edge) => ({
        ...edge,
        from: gone.has(edge.from) ? id : edge.from,
        to: gone.has(edge.to) ? id : edge.to,
      }))
      .filter(
        (edge) =>
          edge.from !== edge.to &&
          !seen.has(`${edge.from} ${edge.to}`) &&
          seen.add(`${edge.from} ${edge.to}`),
      );
    hidden.push(id);
  }
  return { nodes, edges, hidden };
}

function lineagePlot(graph, small) {
  const layout = layers(small.nodes, small.edges);
  const places = new Map(
    layout.nodes.map((node) => [
      node.id,
      { node, x: 8 + node.column * (boxWidth + columnGap), y: 8 + node.row * (boxHeight + rowGap) },
    ]),
  );
  const at = (x, y) =>
    [...places.values()].find(
      (one) => x >= one.x && x <= one.x + boxWidth && y >= one.y && y <= one.y + boxHeight,
    );
  const hitOf = (one) => ({
    x: one.x + boxWidth / 2,
    y: one.y + boxHeight,
    id: one.node.id,
    text: `${one.node.kind} ${one.node.id}\n${one.node.label}\n${Object.entries(one.node.facts)
      .map(([key, value]) => `${words(key)}: ${value}`)
      .join("\n")}`,
  });
  const plot = new Plot({
    label: `Lineage of ${graph.root}`,
    height: 24 + layout.rows * (boxHeight + rowGap),
    margin: { left: 0, right: 0, top: 0, bottom: 0 },
    paint: (p) => {
      p.x = true;
      for (const edge of small.edges) drawEdge(p, places.get(edge.to), places.get(edge.from));
      for (const one of places.values()) drawNode(p, one, one.node.id === graph.root);
    },
    hit: (p, x, y) => {
      const one = at(x, y);
      return one ? hitOf(one) : null;
    },
    open: (hit) => {
      if (linkOf(hit.id)) location.hash = linkOf(hit.id);
    },
    move: (p, key) => {
      const list = [...places.values()];
      p.step =
        (list.length + (p.step ?? -1) + (key === "ArrowRight" || key === "ArrowDown" ? 1 : -1)) %
        list.length;
      return hitOf(list[p.step]);
    },
    table: () => ({
      header: ["from", "relation", "to"],
      rows: graph.edges.map((edge) => [edge.from, edge.relation, edge.to]),
    }),
  });
  plot.centre = places.get(graph.root).x + boxWidth / 2;
  plot.element.style.width = `${16 + layout.columns * (boxWidth + columnGap)}px`;
  return plot;
}

function drawEdge(p, from, to) {
  if (!from || !to) return;
  const { ctx } = p;
  const [x0, y0, x1, y1] = [from.x + boxWidth, from.y + boxHeight / 2, to.x, to.y + boxHeight / 2];
  ctx.strokeStyle = p.colours["line-strong"];
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.bezierCurveTo(x0 + columnGap / 2, y0, x1 - columnGap / 2, y1, x1, y1);
  ctx.stroke();
}

const kinds = ["sweep", "trial", "run", "model", "workflow", "dataset", "evaluation"];
function drawNode(p, { node, x, y }, root) {
  const { ctx, colours } = p;
  ctx.fillStyle = root ? colours.mark : colours.raised;
  ctx.fillRect(x, y, boxWidth, boxHeight);
  ctx.fillStyle = colours.series[Math.max(0, kinds.indexOf(node.kind)) % colours.series.length];
  ctx.fillRect(x, y, 3, boxHeight);
  ctx.fillStyle = colours.ink;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillText(clipped(ctx, node.id, boxWidth - 16), x + 10, y + 4);
  ctx.fillStyle = colours["ink-2"];
  const what = node.label.startsWith(node.kind) ? node.label : `${node.kind}: ${node.label}`;
  ctx.fillText(clipped(ctx, what, boxWidth - 16), x + 10, y + 18);
}

export async function lineagePage(page) {
  const [id] = page.ids;
  const graph = await get(`/v1/lineage/${id}`);
  const small = collapsed(graph);
  const plot = lineagePlot(graph, small);
  page.onLeave(() => plot.close());
  const root = graph.nodes.find((node) => node.id === graph.root);
  const graphBox = h(
    "div.scroll.sideways",
    { tabindex: "0", role: "region", "aria-label": "Lineage graph" },
    plot.element,
  );
  // On a narrow screen the graph scrolls; its object is shown.
  requestAnimationFrame(() => (graphBox.scrollLeft = plot.centre - graphBox.clientWidth / 2));
  const own =
    linkOf(id) && linkOf(id) !== links.lineage(id)
      ? h("a", { href: linkOf(id) }, `page of ${id}`)
      : null;
  return [
    heading(`Lineage of ${id}`, [
      h("span", {}, root?.label ?? ""),
      own,
      graph.truncated ? h("span", {}, "the graph is larger than one answer") : null,
      small.hidden.length ? h("span", {}, `shown as one: ${small.hidden.join(", ")}`) : null,
    ]),
    card("Ancestors on the left, descendants on the right", graphBox, { plot, id: "lineage" }),
    card(
      "Objects",
      table(
        [
          ["Id", (one) => link(one.id)],
          ["Kind", (one) => one.kind],
          ["What", (one) => one.label],
          [
            "Facts",
            (one) =>
              h(
                "span.mono.small.params",
                {},
                Object.entries(one.facts)
                  .map(([key, value]) => `${key}=${value}`)
                  .join("  "),
              ),
          ],
        ],
        graph.nodes.slice(0, nodesAtMost),
        "Objects",
      ),
      { flush: true },
    ),
  ];
}
