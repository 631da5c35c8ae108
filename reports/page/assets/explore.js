"use strict";
// The slider. Each position is a budget of errors on the fit part, for which the program fitted thresholds and counted what
// they do on both parts.
(async () => {
  const form = document.getElementById("sliders");
  const {el, percent} = infnet;
  const {unpack, at, find, budgetOf} = infnet.lookUp;
  if (!form) return;
  const $ = (id) => document.getElementById(id);
  const groups = JSON.parse(await infnet.inflate(infnet.data.groups));
  const state = {group: 0, position: 0};

  // read is everything that the page shows now.
  function read() {
    const g = unpack(groups[state.group]);
    const out = {cascade: g.cascade, dataset: g.dataset, position: state.position, single: null, multi: null};
    if (g.positions.length) {
      out.target = g.targets[state.position];
      out.budget = g.positions[state.position] / g.fit.scale;
      out.marks = (g.marks || []).filter((m) => m.at === state.position).map((m) => m.name);
      for (const form of ["single", "multi"]) out[form] = at(g, form, state.position);
    }
    return out;
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
    if (able) showTarget(g, now);
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
      const met = ["single", "multi"].some((form) => g[form] && at(g, form, 0).feasible);
      return `stricter than the slider goes${met ? "" : `: no thresholds meet even ${g.targets[0]}`}`;
    }
    return "a performance in [0,1], such as 0.93, or a name; Enter moves the slider";
  }

  function choose(index) {
    state.group = index;
    const g = unpack(groups[index]);
    const own = (g.marks || []).find((m) => m.name === "study");
    state.position = own ? own.at : 0;
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

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  $("group").addEventListener("change", () => choose(Number($("group").value)));
  $("target").addEventListener("input", () => set(Number($("target").value)));
  $("target-text").addEventListener("change", () => {
    const g = unpack(groups[state.group]), position = find(g, $("target-text").value);
    $("target-hint").textContent = hint(g, $("target-text").value, position);
    $("target-text").setAttribute("aria-invalid", String(position < 0));
    if (position >= 0) set(position);
  });
  choose(infnet.data.start);

  infnet.explore = {choose, set, read, find: (text) => find(unpack(groups[state.group]), text),
    get groups() { return groups.map((g) => ({cascade: g.cascade, dataset: g.dataset, positions: unpack(g).positions.length})); }};
})();
