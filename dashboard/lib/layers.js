// A layered layout of a directed graph. Pure. Edges lead from a descendant to its ancestor;
// ancestors are on the left.

// Returns {nodes: [{...node, column, row}], columns, rows}.
export function layers(nodes, edges) {
  const parents = new Map(nodes.map((node) => [node.id, []]));
  for (const { from, to } of edges)
    if (parents.has(from) && parents.has(to)) parents.get(from).push(to);
  const depth = new Map();
  const depthOf = (id, seen) => {
    if (depth.has(id)) return depth.get(id);
    if (seen.has(id)) return 0;
    seen.add(id);
    const own = 1 + Math.max(-1, ...parents.get(id).map((parent) => depthOf(parent, seen)));
    depth.set(id, own);
    return own;
  };
  const columns = [];
  for (const node of nodes) {
    const column = depthOf(node.id, new Set());
    (columns[column] ??= []).push(node);
  }
  const rowOf = new Map();
  const placed = [];
  columns.forEach((column, at) => {
    const weight = (node) => {
      const known = parents
        .get(node.id)
        .map((parent) => rowOf.get(parent))
        .filter((row) => row !== undefined);
      return known.length ? known.reduce((a, b) => a + b, 0) / known.length : 0;
    };
    const order = at === 0 ? column : [...column].sort((a, b) => weight(a) - weight(b));
    order.forEach((node, row) => {
      rowOf.set(node.id, row);
      placed.push({ ...node, column: at, row });
    });
  });
  return {
    nodes: placed,
    columns: columns.length,
    rows: Math.max(1, ...columns.map((column) => column?.length ?? 0)),
  };
}
