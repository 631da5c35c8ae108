// The records behind a number: a dialog that lists them, filters, sorts and searches them, and opens one.
"use strict";
(() => {
  const records = infnet.records;
  if (!records) return;
  const { el } = infnet, { head } = records;
  let open = null; // what the dialog shows: {table, filter, search, opener}

  // control returns a labelled select of [value, words].
  function control(label, options, value) {
    const select = el("select", {}, ...options.map(([v, words]) => el("option", { value: String(v) }, words)));
    select.value = String(value);
    return { select, box: el("label", {}, el("span", {}, label), select) };
  }

  const dialog = el("dialog", { class: "records", "aria-labelledby": "records-title" });
  const title = el("h2", { id: "records-title", tabindex: "-1" });
  const close = el("button", { type: "button", class: "records-close" }, "Close");
  const tools = el("form", { class: "records-tools", "aria-label": "Filter and sort" });
  const summary = el("p", { class: "records-summary", id: "records-summary" });
  const status = el("p", { class: "records-status", role: "status" });
  const header = el("div", { class: "records-row records-head", role: "row", "aria-rowindex": "1" });
  const body = el("div", { class: "records-body", role: "rowgroup", tabindex: "-1" });
  const grid = el("div", { class: "records-grid", role: "grid", tabindex: "0", "aria-label": "Records",
    "aria-describedby": "records-summary" }, header, body);
  const detail = el("section", { class: "records-detail", "aria-label": "Record", hidden: "" });
  dialog.append(el("div", { class: "records-top" }, title, close), summary, tools, status, el("div", { class: "records-panes" }, grid, detail));
  document.body.append(dialog);

  const list = new records.List(grid, body, { fill, choose: (n) => show(n, true), 
    mark: (n) => { if (!detail.hidden) show(n, false); } });

  // fill writes a record into a row of the list.
  function fill(row, n) {
    const { table, filter } = open, way = filter.policy < 0 ? null : table.wayOf(filter.policy, n);
    const cell = (kind, ...content) => el("span", { role: "gridcell", class: "records-" + kind }, ...content);
    const cells = [cell("id", table.id(n))];
    if (asks(table)) {
      const text = cell("question");
      cells.push(text);
      records.question(table, n, () => text.isConnected).then((words) => { text.textContent = text.title = words; }, () => {});
    }
    cells.push(cell("part", head.parts[table.part[n]]));
    if (table.classes.length > 1) cells.push(cell("class", table.classes[table.class[n]]));
    cells.push(cell("beta", table.isAnswered(0, n) ? table.beta(0, n).toFixed(4) : "none"));
    table.models.forEach((_, m) => {
      const said = table.classes[table.answers[m].class[n]], right = table.isRight(m, n);
      const mark = !table.isAnswered(m, n) ? "no answer" : !table.used(n) ? "not used" : right ? "right" : "wrong";
      const tone = mark === "right" ? "good" : mark === "wrong" ? "bad" : "soft";
      cells.push(cell("model", el("span", { class: "records-" + tone }, mark), said ? el("span", { class: "records-said" }, " " + said) : null));
    });
    if (filter.policy >= 0) {
      cells.push(cell("decision", !way ? "none" : decided(table, way)));
      cells.push(cell("cost", records.number(table.costOf(filter.policy, n))));
    } else {
      cells.push(cell("cost", records.number(table.costOf(-1, n))));
    }
    row.append(...cells);
  }

  // asks says whether the list can show what was asked.
  const asks = (table) => table.texts;

  // decided says in a word or two what a policy did.
  function decided(table, way) {
    if (table.models.length > 2) return table.models[way.final];
    return way.deferred ? "deferred" : "accepted";
  }

  function heads() {
    const { table, filter } = open;
    const cell = (kind, words) => el("span", { role: "columnheader", class: "records-" + kind }, words);
    const cells = [cell("id", "Record"), ...(asks(table) ? [cell("question", "Question")] : []), cell("part", "Part")];
    if (table.classes.length > 1) cells.push(cell("class", "Reference"));
    cells.push(cell("beta", "Confidence"), ...table.models.map((m) => cell("model", m)));
    if (filter.policy >= 0) cells.push(cell("decision", table.models.length > 2 ? "Answer of" : "Decision"));
    cells.push(cell("cost", "Cost"));
    header.replaceChildren(...cells);
    const asked = asks(table) ? ["minmax(8rem,5fr)"] : [];
    const widths = ["minmax(4rem,1.4fr)", ...asked, "3.2rem", ...(table.classes.length > 1 ? ["minmax(4rem,1fr)"] : []), "5.6rem",
      ...table.models.map(() => "minmax(6rem,1.4fr)"), ...(filter.policy >= 0 ? ["minmax(5.5rem,1fr)"] : []), "6rem"];
    const rest = ["3.6rem", ...table.models.map(() => "minmax(3.2rem,1fr)")];
    const least = asks(table) ? ["minmax(5rem,2.5fr)", ...rest] : ["minmax(3rem,2fr)", ...rest]; // the id, or what was asked
    const narrow = ["minmax(3rem,1.2fr)", ...(asks(table) ? ["minmax(5rem,3fr)"] : []), ...rest, ...(filter.policy >= 0 ? ["minmax(4rem,1.2fr)"] : [])];
    dialog.classList.toggle("records-asks", Boolean(asks(table)));
    grid.style.setProperty("--records-columns", widths.join(" "));
    grid.style.setProperty("--records-narrow", narrow.join(" "));
    grid.style.setProperty("--records-least", least.join(" "));
  }

  // show opens a record beside the list.
  async function show(n, focus) {
    const { table } = open, heading = el("h3", { tabindex: "-1" }, "Record ", el("bdi", {}, table.id(n)));
    const step = (by, words) => {
      const b = el("button", { type: "button" }, words);
      b.disabled = list.at + by < 0 || list.at + by >= list.places.length;
      b.addEventListener("click", () => { list.move(list.at + by); show(list.places[list.at], true); });
      return b;
    };
    const back = el("button", { type: "button" }, "Back to the list");
    back.addEventListener("click", leave);
    const bar = el("div", { class: "records-bar" }, back, step(-1, "Previous"), step(1, "Next"));
    let content;
    open.shown = n;
    try {
      content = records.describe(table, n, await records.detail(table, n));
    } catch (err) {
      content = [el("p", { class: "records-bad" }, "This record cannot be shown: " + err.message)];
    }
    if (!open || open.table !== table || open.shown !== n) return; // another one was asked for meanwhile
    detail.replaceChildren(bar, heading, ...content);
    detail.hidden = false;
    detail.scrollTop = 0;
    dialog.classList.add("records-open");
    if (focus) heading.focus();
  }

  // leave goes from a record back to the list.
  function leave() {
    detail.hidden = true;
    detail.replaceChildren();
    dialog.classList.remove("records-open");
    list.move(list.at);
    grid.focus();
  }

  // remember keeps what is shown in the address, so that a link to it shows the same.
  function remember() {
    const { table, filter, cascade, dataset } = open, policy = table.policies[filter.policy];
    const state = { cascade, dataset, part: filter.part, policy: policy && policy.policy, decision: filter.decision,
      outcome: filter.outcome, models: filter.models, class: table.classes[filter.class], sort: filter.sort, down: filter.down,
      search: open.text };
    history.replaceState(null, "", "#records=" + encodeURIComponent(JSON.stringify(state)));
  }

  // refresh applies the filter and the order.
  function refresh() {
    const { table, filter } = open;
    remember();
    heads();
    list.show(table.sorted(table.select(filter), filter.sort, filter.down, filter.policy));
    const c = table.counts(filter.part, filter.policy), p = table.policies[filter.policy];
    const many = (n) => n.toLocaleString("en");
    let words = `${many(c.records)} records of ${filter.part ? "the " + filter.part + " part" : "all parts"}`;
    if (p && c.decided) words += `; ${p.title}: ${many(c.deferred)} deferred, ${many(c.wrong)} wrong`;
    if (p && c.decided && table.soft) words += ` (errors add up to ${records.number(c.error)})`;
    if (p && p.coin) words += `; ${p.title} decides at random, so its row is an expectation and no record has a decision of its own`;
    else if (p && !c.decided) words += `; ${p.title} decided about none of them`;
    summary.textContent = words + ".";
    status.textContent = `${many(list.places.length)} shown`;
    Object.assign(dialog.dataset, { shown: list.places.length, records: c.records, deferred: c.deferred, wrong: c.wrong,
      error: c.error });
  }

  // search filters by a text, once typing has stopped.
  async function search(text) {
    const now = open, token = (open.token = {});
    const wanted = () => open === now && now.token === token;
    now.text = text;
    if (text === "") {
      now.filter.found = null;
      refresh();
      return;
    }
    status.textContent = "Searching";
    try {
      const found = await records.search(now.table, text, (n) => {
        if (wanted()) status.textContent = `Searching: ${n.toLocaleString("en")} of ${now.table.records.toLocaleString("en")}`;
      }, wanted);
      if (!wanted()) return;
      now.filter.found = found;
      refresh();
    } catch (err) {
      if (wanted()) status.textContent = "The search failed: " + err.message;
    }
  }

  // build makes the controls for a table.
  function build() {
    const { table, filter } = open, last = table.models.length - 1;
    const either = [["", "either"], ["right", "right"], ["wrong", "wrong"]];
    const part = control("Part", [["", "all"], ...head.parts.map((p) => [p, p])], filter.part);
    const policy = control("Policy", [[-1, "none"], ...table.policies.map((p, k) => [k, p.title])], filter.policy);
    const decision = control("Decision", [["", "any"], ["accepted", "accepted"], ["deferred", "deferred"],
      ...(last > 1 ? table.models.map((m, k) => ["final-" + k, "answer of " + m]) : [])], filter.decision);
    const errs = table.soft ? [["costly", "any error"]] : []; // a right answer may be partly wrong
    const outcome = control("Its answer", [...either, ...errs], filter.outcome);
    const models = table.models.map((m, k) => control(m, either, filter.models[k]));
    const classes = control("Reference", [[0, "any"], ...table.classes.slice(1).map((c, k) => [k + 1, c])], filter.class);
    const sort = control("Sort by", [["row", "order of the file"], ["id", "id"], ...table.models.slice(0, last || 1)
      .map((m, k) => ["beta-" + k, "confidence of " + m]), ["cost", "cost"]], filter.sort);
    const down = el("input", { type: "checkbox" });
    down.checked = filter.down;
    const find = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
    const read = () => {
      Object.assign(filter, { part: part.select.value, policy: Number(policy.select.value), decision: decision.select.value,
        outcome: outcome.select.value, models: models.map((m) => m.select.value), class: Number(classes.select.value),
        sort: sort.select.value, down: down.checked });
      decision.select.disabled = outcome.select.disabled = filter.policy < 0;
      if (filter.policy < 0) filter.decision = filter.outcome = decision.select.value = outcome.select.value = "";
      refresh();
    };
    let timer = 0;
    find.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => search(find.value), 250);
    });
    tools.replaceChildren(part.box, policy.box, decision.box, outcome.box, ...models.map((m) => m.box),
      ...(table.classes.length > 1 ? [classes.box] : []), sort.box, el("label", { class: "records-tick" }, down, "largest first"),
      el("label", { class: "records-find" }, el("span", {}, table.texts ? "Search ids and texts" : "Search ids"), find));
    tools.onchange = (e) => { if (e.target !== find) read(); };
    read();
  }

  // reading turns what a cell says into a filter.
  function reading(table, f) {
    const policy = table.policies.findIndex((p) => p.policy === f.policy), of = table.models.indexOf(f.model);
    const outcome = f.right ?? (f.field === "error" ? false : undefined);
    const deferred = f.deferred ?? (f.field === "deferred" ? true : undefined);
    const coin = policy < 0 || table.policies[policy].coin; // nothing was decided about any record
    const bad = table.soft && f.field === "error" ? "costly" : "wrong";
    const word = outcome === undefined ? "" : outcome ? "right" : bad;
    return { part: f.part ?? "", policy, found: null, sort: "row", down: false,
      decision: deferred === undefined || coin ? "" : deferred ? "deferred" : "accepted",
      outcome: of < 0 && !coin ? word : "", models: table.models.map((_, m) => (m === of ? word.replace("costly", "wrong") : "")),
      class: Math.max(0, f.class ? table.classes.indexOf(f.class) : 0) };
  }

  // showRecords opens the records that a cell counts. opener gets the focus back.
  infnet.showRecords = async (f, opener, saved) => {
    const place = records.place(f.cascade, f.dataset);
    if (place < 0) return;
    const back = opener || document.activeElement;
    open = null;
    title.replaceChildren("Records of ", el("bdi", {}, f.dataset), ", ", el("bdi", {}, f.cascade));
    for (const part of [summary, tools, header]) part.replaceChildren();
    detail.hidden = true;
    dialog.classList.remove("records-open");
    delete dialog.dataset.shown;
    list.show(new Uint32Array(0));
    status.textContent = "Opening";
    dialog.back = back;
    if (!dialog.open) dialog.showModal();
    try {
      const table = await records.open(place);
      if (!table.held) {
        status.textContent = "The records of this table are not in this file, because they are too many; records.jsonl has them all.";
        return;
      }
      open = { table, filter: reading(table, f), cascade: f.cascade, dataset: f.dataset };
      if (saved) { // what a select does not know it does not take
        Object.assign(open.filter, { decision: String(saved.decision || ""), outcome: String(saved.outcome || ""),
          models: table.models.map((_, m) => String((saved.models || [])[m] || "")), sort: String(saved.sort || "row"),
          down: saved.down === true });
      }
      build();
      const text = saved && String(saved.search || "");
      if (text) {
        tools.querySelector("[type=search]").value = text;
        search(text);
      }
      grid.focus();
    } catch (err) {
      status.textContent = "The records cannot be opened: " + err.message;
    }
  };

  close.addEventListener("click", () => dialog.close());
  tools.addEventListener("submit", (e) => e.preventDefault());
  dialog.addEventListener("cancel", (e) => {
    if (detail.hidden) return;
    e.preventDefault();
    leave();
  });
  dialog.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || detail.hidden) return;
    e.preventDefault();
    leave();
  });
  dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    open = null;
    history.replaceState(null, "", location.pathname + location.search);
    const back = dialog.back;
    if (back && back.isConnected) back.focus();
  });
  addEventListener("load", () => {
    if (!location.hash.startsWith("#records=")) return;
    try {
      const saved = JSON.parse(decodeURIComponent(location.hash.slice("#records=".length)));
      infnet.showRecords({ cascade: saved.cascade, dataset: saved.dataset, part: saved.part, policy: saved.policy,
        class: saved.class }, null, saved);
    } catch { // the link is of something else
    }
  });
})();
