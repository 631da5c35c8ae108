"use strict";
// The chart beside the sliders: cost against error on the test part. It draws what it is given and decides nothing.
infnet.chart = (() => {
  const {el, svg} = infnet;
  const room = {left: 52, right: 14, top: 12, bottom: 40};

  // draw paints lines and marks: {lines: [{title, look, x, y}], marks: [{title, look, shape, x, y, large}], x, y: labels, label}.
  function draw(host, what) {
    const width = Math.max(280, host.clientWidth), height = Math.round(Math.min(430, Math.max(240, width * 0.6)));
    const xs = what.lines.flatMap((l) => l.x).concat(what.marks.map((m) => m.x)).filter(Number.isFinite);
    const ys = what.lines.flatMap((l) => l.y).concat(what.marks.map((m) => m.y)).filter(Number.isFinite);
    if (xs.length === 0) {
      host.replaceChildren();
      return;
    }
    const x = scale(Math.min(0, ...xs), Math.min(140, Math.max(...xs)), room.left, width - room.right);
    const y = scale(Math.min(...ys), Math.max(...ys), height - room.bottom, room.top);
    const root = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": what.label});
    root.append(...axes(x, y, width, height, what));
    for (const line of what.lines) {
      const points = line.x.map((v, i) => `${x.at(v).toFixed(1)},${y.at(line.y[i]).toFixed(1)}`).join(" ");
      root.append(svg("polyline", {points, class: `line ${line.look}`}, svg("title", null, line.title)));
    }
    for (const m of what.marks) {
      if (!Number.isFinite(m.x) || !Number.isFinite(m.y)) continue;
      root.append(mark(m, x.at(m.x), y.at(m.y), m.large ? 6.5 : 5));
    }
    host.replaceChildren(root, legend(what));
  }

  // scale maps [low, high], a little widened, to pixels. Its ticks are round numbers.
  function scale(low, high, from, to) {
    const pad = (high - low || 1) * 0.04;
    low -= pad;
    high += pad;
    const raw = (high - low) / 6, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
    const ticks = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) ticks.push(Number((k * step).toPrecision(10)));
    return {ticks, at: (v) => Math.min(Math.max(from + (v - low) / (high - low) * (to - from), Math.min(from, to)), Math.max(from, to))};
  }

  function axes(x, y, width, height, what) {
    const out = [];
    for (const v of y.ticks) {
      out.push(svg("line", {class: "grid-line", x1: room.left, x2: width - room.right, y1: y.at(v), y2: y.at(v)}),
        svg("text", {class: "tick", x: room.left - 7, y: y.at(v) + 4, "text-anchor": "end"}, String(v)));
    }
    for (const v of x.ticks) {
      out.push(svg("line", {class: "grid-line", x1: x.at(v), x2: x.at(v), y1: room.top, y2: height - room.bottom}),
        svg("text", {class: "tick", x: x.at(v), y: height - room.bottom + 16, "text-anchor": "middle"}, String(v)));
    }
    out.push(svg("text", {class: "axis", x: (room.left + width - room.right) / 2, y: height - 6, "text-anchor": "middle"}, what.x),
      svg("text", {class: "axis", x: 0, y: 0, "text-anchor": "middle",
        transform: `translate(13 ${(room.top + height - room.bottom) / 2}) rotate(-90)`}, what.y));
    return out;
  }

  function mark(m, x, y, r) {
    const title = svg("title", null, m.title);
    const look = {class: `mark ${m.look}${m.large ? " large" : ""}`};
    if (m.shape === "square") return svg("rect", {...look, x: x - r, y: y - r, width: 2 * r, height: 2 * r}, title);
    if (m.shape === "diamond") return svg("path", {...look, d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z`}, title);
    return svg("circle", {...look, cx: x, cy: y, r}, title);
  }

  function legend(what) {
    const shapes = new Map(what.marks.map((m) => [m.look, m.shape]));
    const items = what.lines.map((l) => el("li", null, svg("svg", {viewBox: "0 0 30 12", class: "key", "aria-hidden": "true"},
      svg("polyline", {points: "0,6 30,6", class: `line ${l.look}`}),
      shapes.has(l.look) ? mark({look: l.look, shape: shapes.get(l.look), title: ""}, 15, 6, 4) : null), l.title));
    return el("ul", {class: "legend"}, ...items);
  }

  return draw;
})();
