"use strict";
// Tables: sorting, and the records behind a cell.
(() => {
  const {el} = infnet;

  // What a cell is about is written once, in its column's head; here every cell gets it.
  function name(table) {
    const fields = table.tHead ? [...table.tHead.rows[0].cells].map((head) => head.dataset.field) : [];
    for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
      [...row.cells].forEach((cell, i) => {
        if (fields[i]) cell.dataset.field = fields[i];
      });
    }
  }

  // Sorting. The first click sorts up, the second down, the third brings the order of the paper back.
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    const original = [...table.tBodies].map((body) => ({body, rows: [...body.rows]}));
    const rows = original.flatMap((x) => x.rows);
    if (rows.length < 2) return;
    heads.forEach((head, column) => {
      const button = el("button", {type: "button", class: "sort"});
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = {none: "ascending", ascending: "descending", descending: "none"}[head.getAttribute("aria-sort") || "none"];
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        table.classList.toggle("sorted", next !== "none");
        if (next === "none") {
          for (const x of original) x.body.append(...x.rows);
        } else {
          head.setAttribute("aria-sort", next);
          original[0].body.append(...sorted(rows, column, next === "ascending" ? 1 : -1));
        }
        infnet.say(next === "none" ? "In the order of the paper" : `Sorted by ${button.textContent}, ${next}`);
      });
    });
  }

  // Numbers come before texts, and what is empty comes last in either direction.
  function sorted(rows, column, sign) {
    const key = (row) => {
      const cell = row.cells[column];
      if (!cell) return "";
      return cell.dataset.value === undefined ? cell.textContent.trim() : numeric(cell.dataset.value);
    };
    const numeric = (text) => (text === "inf" ? Infinity : text === "-inf" ? -Infinity : Number(text));
    const keyed = rows.map((row, place) => ({row, place, key: key(row)}));
    keyed.sort((a, b) => {
      if ((a.key === "") !== (b.key === "")) return a.key === "" ? 1 : -1;
      if (typeof a.key !== typeof b.key) return typeof a.key === "number" ? -1 : 1;
      if (a.key === b.key) return a.place - b.place;
      return sign * (typeof a.key === "number" ? a.key - b.key : a.key.localeCompare(b.key, "en", {numeric: true})) || a.place - b.place;
    });
    return keyed.map((x) => x.row);
  }

  // Records: every cell of a row that names a policy, and every number of a card, opens those behind it. One button of a
  // row can be reached by Tab; arrows move between the cells.
  function opens(box) {
    for (const row of box.querySelectorAll("[data-policy][data-dataset][data-cascade]")) {
      let first = true;
      for (const cell of row.querySelectorAll("[data-field]")) {
        if (cell.dataset.field === "dataset" || !cell.textContent.trim()) continue;
        const kept = [...cell.childNodes].filter((n) => n.nodeName === "SUP");
        const button = el("button", {type: "button", class: "open", tabindex: first || row.matches(".card") ? 0 : -1,
          title: "Show the records"});
        button.append(...[...cell.childNodes].filter((n) => n.nodeName !== "SUP"));
        cell.append(button, ...kept);
        first = false;
        button.addEventListener("click", () => infnet.showRecords(filterOf(cell), button));
      }
    }
    box.addEventListener("keydown", move);
  }

  function filterOf(cell) {
    const of = (name) => cell.closest(`[data-${name}]`).dataset[name];
    const filter = {cascade: of("cascade"), dataset: of("dataset"), policy: of("policy"), part: "test", field: of("field")};
    if (filter.field === "error") filter.right = false;
    if (filter.field === "deferred") filter.deferred = true;
    return filter;
  }

  function move(event) {
    const from = event.target.closest("button.open");
    const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
    if (!from || !step) return;
    const cell = from.closest("td,th");
    if (!cell) return;
    const rows = [...event.currentTarget.querySelectorAll("tbody tr")];
    let row = rows.indexOf(cell.parentElement), column = cell.cellIndex;
    for (;;) {
      row += step[0];
      column += step[1];
      const to = rows[row] && rows[row].cells[column];
      if (!to) return;
      const button = to.querySelector("button.open");
      if (button) {
        event.preventDefault();
        button.focus();
        return;
      }
    }
  }

  for (const table of document.querySelectorAll(".table table")) name(table);
  for (const table of document.querySelectorAll(".table table, table.facts, #outcomes")) if (table.tHead) sortable(table);
  document.addEventListener("DOMContentLoaded", () => {
    if (!infnet.showRecords) return;
    for (const box of document.querySelectorAll(".table table, #outcomes, .cards")) {
      if (!/-(at-cost|at-error|tests|price|repeats|transfer|grid-[a-z-]+)$/.test(box.id)) opens(box); // not the one policy of records.jsonl
    }
    for (const button of document.querySelectorAll(".way")) {
      button.addEventListener("click", () => infnet.showRecords({...button.dataset}, button));
    }
    for (const part of document.querySelectorAll(".screen")) part.hidden = false;
  });
})();
