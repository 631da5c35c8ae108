"use strict";
// The two sliders. Each position of the first is a budget of errors on the fit part, for which the program fitted
// thresholds and counted what they do on both parts; the second is a price ratio, from which savings follow.
(async () => {
  const form = document.getElementById("sliders");
  const {el, percent} = infnet;
  const {unpack, target, saved, at, find, budgetOf} = infnet.lookUp;
  if (!form) return;
  const $ = (id) => document.getElementById(id);
  const groups = JSON.parse(await infnet.inflate(infnet.data.groups));
  const state = {group: 0, position: 0, ratio: null}; // ratio null: the study's own

  // read is everything that the page shows now.
  function read() {
    const g = unpack(groups[state.group]);
    const own = g.ratio === undefined ? null : g.ratio;
    const ratio = own === null ? null : state.ratio === null ? own : state.ratio;
    const out = {cascade: g.cascade, dataset: g.dataset, position: state.position, ratio, single: null, multi: null};
    if (g.positions.length) {
      out.target = target(g, state.position);
      out.budget = g.positions[state.position] / g.fit.scale;
      out.marks = (g.marks || []).filter((m) => m.at === state.position).map((m) => m.name);
      for (const form of ["single", "multi"]) out[form] = at(g, form, state.position, ratio);
    }
    out.rows = ratio === null ? [] : (g.rows || []).map((r) => ({...r, saved: savings(r, ratio)}));
    return out;
  }

  // savings are a row's saving and its interval: the ends of the deferrals' interval, in order.
  function savings(row, ratio) {
    const end = (k) => saved(row.charge, ratio, row.deferred[k], row.overhead);
    return [end("value"), Math.min(end("low"), end("high")), Math.max(end("low"), end("high"))];
  }

  const count = (n, scale) => (scale === 1 ? String(n) : n.toFixed(3));
  // short is a number in six digits, written as infnet fit writes thresholds: 0.25, 1.5e-07, inf.
  function short(v) {
    const n = Number(v.toPrecision(6));
    if (v === Infinity || n === 0) return v === Infinity ? "inf" : "0";
    return Math.abs(n) < 1e-4 ? n.toExponential().replace(/e-(\d)$/, "e-0$1") : String(n);
  }
  const titles = {single: "One threshold", multi: "A threshold per class"};
  const names = {study: "the study's", master: "master", student: "student", best: "best"};

  function show() {
    const g = unpack(groups[state.group]), now = read();
    const able = g.positions.length > 0;
    $("explore-why").hidden = able;
    $("explore-why").textContent = able ? "" : g.why;
    $("apart").hidden = !g.apart;
    $("apart").textContent = g.apart || "";
    for (const id of ["target-box", "tested", "thresholds"]) $(id).hidden = !able;
    $("at-target").parentElement.hidden = !able;
    const priced = now.ratio !== null;
    $("ratio-box").hidden = $("at-ratio").closest("details").hidden = !priced;
    if (able) showTarget(g, now);
    if (priced) showRatio(g, now);
    drawChart(g, now);
    clearTimeout(show.later);
    show.later = setTimeout(() => infnet.say(spoken(g, now)), 500);
  }

  function showTarget(g, now) {
    const slider = $("target"), errors = count(now.budget, g.fit.scale);
    slider.max = g.positions.length - 1;
    slider.value = state.position;
    const name = now.marks.map((m) => names[m]).join(", ");
    const says = `${errors} errors allowed in ${g.fit.records} records`;
    slider.setAttribute("aria-valuetext", `target ${now.target}, ${says}`);
    $("target-says").replaceChildren("Target ", el("strong", {"data-read": "target"}, now.target),
      name ? ` (${name})` : "", ": ", el("strong", {"data-read": "budget"}, errors),
      ` errors allowed in ${g.fit.records} records of the fit part, ${percent(now.budget / g.fit.records)} %`);
    if (document.activeElement !== $("target-text")) $("target-text").value = now.target;
    for (const chip of $("target-names").children) chip.setAttribute("aria-pressed", String(Number(chip.dataset.at) === state.position));
    $("at-target").tBodies[0].replaceChildren(...["single", "multi"].filter((f) => now[f]).map((f) => targetRow(g, now, f)));
    $("thresholds").replaceChildren(...["single", "multi"].filter((f) => now[f]).map((f) => thresholds(g, now, f)));
    const moved = !now.marks.includes("study");
    $("tested").classList.toggle("moved", moved);
    $("tested").replaceChildren(el("strong", null, moved ? "Not the study's target. " : "The study's target. "),
      moved ? "A target that is chosen by looking at the test part is no longer tested: what the test part shows for it is too " +
        "good to expect of new records. Choose by the fit part, or by what the task can bear, and measure on new records."
        : "It was fixed before the test part was looked at, so the test part tests it. A target that is chosen by looking at the test part is no longer tested.");
  }

  function targetRow(g, now, form) {
    const x = now[form], of = (n, part, scale, key) => [el("strong", {"data-read": key}, scale ? count(n, scale) : String(n)),
      ` of ${part.records}`, el("span", {class: "range"}, ` ${percent(n / part.records)} %`)];
    return el("tr", {class: "ours"},
      el("th", {scope: "row"}, titles[form],
        x.feasible ? "" : el("span", {class: "note"}, `cannot meet the target; the fewest errors are ${count(x.errors, g.fit.scale)}`)),
      el("td", {class: "num"}, ...of(x.errors, g.fit, g.fit.scale, `${form}.errors`)),
      el("td", {class: "num"}, ...of(x.deferred, g.fit, 0, `${form}.deferred`)),
      el("td", {class: "num"}, ...of(x.test.errors, g.test, g.test.scale, `${form}.test.errors`)),
      el("td", {class: "num"}, ...of(x.test.deferred, g.test, 0, `${form}.test.deferred`)),
      el("td", {class: "num"}, el("strong", {"data-read": `${form}.saved`}, x.saved === null ? "n/a" : x.saved.toFixed(2))));
  }

  function thresholds(g, now, form) {
    const list = now[form].thresholds;
    if (list.length === 1) {
      return el("p", {class: "says"}, `${titles[form]}: θ = `, el("strong", {"data-read": `${form}.thresholds`}, short(list[0])));
    }
    const open = $("thresholds").querySelector("details");
    return el("details", {open: open && open.open}, el("summary", null, `Thresholds of ${list.length} classes`),
      el("div", {class: "columns"}, ...list.map((theta, k) => el("p", null, el("bdi", {class: "name"}, g.classes[k]), " θ = ",
        el("strong", {"data-read": `${form}.thresholds`}, short(theta))))));
  }

  function showRatio(g, now) {
    const slider = $("ratio"), own = state.ratio === null;
    slider.max = Math.max(1000, Math.ceil(2 * g.ratio) * 1000);
    slider.value = Math.round(1000 * now.ratio);
    const words = own ? `${short(now.ratio)}, the study's own` : short(now.ratio);
    slider.setAttribute("aria-valuetext", words);
    const even = g.even ? ` Ours, at the study's target, is cheaper than any single model that errs no more below a ratio of ` +
      `${g.even.value.toFixed(3)} [${g.even.low.toFixed(3)}, ${g.even.high.toFixed(3)}].` : "";
    $("ratio-says").replaceChildren("A query costs the student ", el("strong", {"data-read": "ratio"}, short(now.ratio)),
      ` of what it costs the master${own ? " (the study's own)" : `; the study's own ratio is ${short(g.ratio)}`}.${even}`);
    $("ratio-own").setAttribute("aria-pressed", String(own));
    $("at-ratio").tBodies[0].replaceChildren(...now.rows.map((r) => {
      const range = (v, d) => [v[0].toFixed(d), v[2] - v[1] < 1e-9 ? "" : el("span", {class: "range"}, ` [${v[1].toFixed(d)}, ${v[2].toFixed(d)}]`)];
      const shares = (s) => [100 * s.value, 100 * s.low, 100 * s.high];
      return el("tr", {class: r.policy === "single" || r.policy === "multi" ? "ours" : false}, el("th", {scope: "row"}, r.title),
        el("td", {class: "num"}, ...range(shares(r.error), 1)), el("td", {class: "num"}, ...range(shares(r.deferred), 1)),
        el("td", {class: "num", "data-read": `row.${r.policy}`}, ...range(r.saved, 2)));
    }));
  }

  const looks = {single: "look-single", multi: "look-multi"};
  function drawChart(g, now) {
    if (now.ratio === null) {
      $("chart").replaceChildren();
      return;
    }
    let other = 0;
    const look = new Map();
    for (const c of g.curves || []) look.set(c.policy, looks[c.policy] || `look-${other++ % 6}`);
    for (const form of ["single", "multi"]) if (now[form]) look.set(form, looks[form]);
    const lines = (g.curves || []).map((c) => ({title: c.title, look: look.get(c.policy),
      x: c.deferred.map((d) => 100 - saved(c.charge, now.ratio, d, c.overhead)), y: c.error.map((e) => 100 * e)}));
    for (const form of ["single", "multi"]) { // where the models cost the same there are no curves; what was fitted is one
      if (now[form] && !lines.some((l) => l.look === looks[form])) lines.push(fittedLine(g, now, form));
    }
    const marks = now.rows.filter((r) => look.has(r.policy) && !looks[r.policy] && r.policy !== "random" && r.policy !== "oracle-router")
      .map((r) => ({title: r.title, look: look.get(r.policy), shape: "diamond", x: 100 - r.saved[0], y: 100 * r.error.value}));
    for (const form of ["single", "multi"]) {
      const x = now[form];
      if (x) marks.push({title: titles[form], look: looks[form], shape: form === "single" ? "disc" : "square", large: true,
        x: 100 - x.saved, y: 100 * x.test.errors / g.test.records});
    }
    infnet.chart($("chart"), {lines, marks, x: "cost (% of the master's)", y: "error on the test part (%)",
      label: `Cost against error on the test part of ${g.dataset}, every policy of ${lines.length} families; the large ` +
        `marks are ours at the chosen target. The tables below have the numbers.`});
  }

  // fittedLine is what the thresholds of all positions do on the test part.
  function fittedLine(g, now, form) {
    const p = g[form];
    return {title: titles[form], look: looks[form], y: p.test_errors.map((e) => 100 * e / g.test.scale / g.test.records),
      x: p.test_deferred.map((d) => 100 - saved("cascade", now.ratio, d / g.test.records))};
  }

  function spoken(g, now) {
    const parts = now.target === undefined ? [] : [`Target ${now.target}, ${count(now.budget, g.fit.scale)} errors allowed.`];
    for (const form of ["single", "multi"]) {
      const x = now[form];
      if (x) parts.push(`${titles[form]}: ${x.feasible ? "" : "the target cannot be met; "}${count(x.errors, g.fit.scale)} errors and ` +
        `${x.deferred} deferred on the fit part; on the test part ${count(x.test.errors, g.test.scale)} errors, ` +
        `${x.saved === null ? `${x.test.deferred} deferred` : `${x.saved.toFixed(1)} percent saved`}.`);
    }
    return parts.join(" ");
  }

  // hint says what became of a target that was typed.
  function hint(g, text, position) {
    if (position < 0) return "not a target: a number in [0,1], or one of the names above";
    const budget = budgetOf(g, text);
    if (budget >= 0 && budget < g.positions[0]) {
      const met = ["single", "multi"].some((form) => g[form] && at(g, form, 0, null).feasible);
      return `stricter than the slider goes${met ? "" : `: no thresholds meet even ${target(g, 0)}`}`;
    }
    return "a performance in [0,1], such as 0.93, or a name; Enter moves the slider";
  }

  function choose(index) {
    state.group = index;
    const g = unpack(groups[index]);
    const own = (g.marks || []).find((m) => m.name === "study");
    state.position = own ? own.at : 0;
    state.ratio = null;
    $("group").value = index;
    $("target-names").replaceChildren(...(g.marks || []).map((m) => el("button", {type: "button", class: "chip", "data-at": m.at,
      onclick: () => set(m.at)}, m.name === "study" ? "The study's own" : m.name)));
    $("target-marks").replaceChildren(...(g.marks || []).map((m) => el("option", {value: m.at, label: names[m.name]})));
    show();
  }

  function set(position) {
    state.position = Math.max(0, Math.min(position, unpack(groups[state.group]).positions.length - 1));
    show();
  }

  function ratio(value) {
    state.ratio = value;
    show();
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  $("group").addEventListener("change", () => choose(Number($("group").value)));
  $("target").addEventListener("input", () => set(Number($("target").value)));
  $("ratio").addEventListener("input", () => ratio(Number($("ratio").value) / 1000));
  $("ratio-own").addEventListener("click", () => ratio(null));
  $("target-text").addEventListener("change", () => {
    const g = unpack(groups[state.group]), position = find(g, $("target-text").value);
    $("target-hint").textContent = hint(g, $("target-text").value, position);
    $("target-text").setAttribute("aria-invalid", String(position < 0));
    if (position >= 0) set(position);
  });
  let width = 0;
  new ResizeObserver(() => {
    if ($("chart").clientWidth !== width) {
      width = $("chart").clientWidth;
      drawChart(groups[state.group], read());
    }
  }).observe($("chart"));
  choose(infnet.data.start);

  infnet.explore = {choose, set, ratio, read, find: (text) => find(unpack(groups[state.group]), text),
    get groups() { return groups.map((g) => ({cascade: g.cascade, dataset: g.dataset, positions: unpack(g).positions.length})); }};
})();
