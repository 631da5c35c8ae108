// One record, opened: its prompt, what every model answered and what that is worth, and what every policy decided.
"use strict";
(() => {
  const records = infnet.records;
  if (!records) return;
  const { el } = infnet;
  const longest = 20000; // characters of a text that are shown at once

  // passage shows a text as it was written. A very long one is shown in part until the rest is asked for.
  function passage(text, name) {
    const box = el("pre", { class: "records-text", dir: "auto", tabindex: "0", role: "group", "aria-label": name });
    if (text === "") {
      box.append(el("span", { class: "records-soft" }, "(empty)"));
      return box;
    }
    box.append(text.slice(0, longest));
    if (text.length <= longest) return box;
    const more = el("button", { type: "button" }, `Show all ${text.length.toLocaleString("en")} characters`);
    more.addEventListener("click", () => { box.textContent = text; more.remove(); box.focus(); });
    return el("div", {}, box, more);
  }

  const badge = (right, words) => el("span", { class: right ? "records-good" : "records-bad" }, words);

  // facts lists what is known of an answer. Probabilities get the names of their classes, tokens a list of their own.
  function facts(list, labels) {
    const dl = el("dl", { class: "records-facts" }), tokens = list.filter(([name]) => name === "token");
    for (const [name, value] of list) {
      if (name === "token") continue;
      dl.append(el("dt", {}, name));
      if (name !== "labels") {
        dl.append(el("dd", {}, value));
        continue;
      }
      const each = value.split(" ").map((p, k) => el("li", {}, el("bdi", {}, labels[k] ?? "label " + (k + 1)), " ",
        el("span", { class: "records-number" }, p)));
      dl.append(el("dd", {}, el("ul", { class: "records-labels" }, ...each)));
    }
    if (!tokens.length) return dl;
    const rows = tokens.map(([, value]) => el("li", {}, value));
    return el("div", {}, dl, el("details", {}, el("summary", {}, `${tokens.length} tokens`),
      el("ol", { class: "records-tokens" }, ...rows)));
  }

  function answer(given, table, m) {
    const box = el("section", { class: "records-answer" });
    const title = el("h4", {}, el("bdi", {}, given.model), " ");
    box.append(title);
    if (given.cause) {
      box.append(el("p", {}, "No answer: ", el("bdi", {}, given.cause)));
      return box;
    }
    title.append(given.mark === "not used" ? el("span", { class: "records-soft" }, "not used")
      : badge(given.mark === "right", given.mark));
    box.append(passage(given.text, "Answer of " + table.models[m]), facts(given.facts, table.labels || []));
    return box;
  }

  // decisions is a table of what every policy did with the record.
  function decisions(table, n, said) {
    const rule = new Map((said || []).map((d) => [d.policy, d.rule || ""]));
    const body = el("tbody", {});
    table.policies.forEach((p, k) => {
      const way = table.wayOf(k, n);
      if (!way) return;
      const last = table.models.length - 1, right = table.isRight(way.final, n);
      const what = table.models.length > 2 || way.asked.length > 2 || way.deferred !== (way.final === last)
        ? "asks " + way.asked.map((m) => table.models[m]).join(", ") : way.deferred ? "deferred" : "accepted";
      body.append(el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, p.title)), el("td", {}, el("bdi", {}, what)),
        el("td", {}, el("bdi", {}, table.models[way.final])), el("td", {}, badge(right, right ? "right" : "wrong")),
        el("td", { class: "records-number" }, records.number(table.costOf(k, n))),
        el("td", {}, (rule.get(p.policy) || "").replace(/^\(|\)$/g, ""))));
    });
    if (!body.children.length) return el("p", {}, "No policy decided anything about this record.");
    const heads = ["Policy", "Decision", "Answer of", "", `Cost (${table.unit})`, "Compared"];
    return el("div", { class: "records-wide" }, el("table", { "aria-label": "Decisions" }, el("thead", {}, el("tr", {},
      ...heads.map((h) => (h ? el("th", { scope: "col" }, h) : el("td", {}))))), body));
  }

  // describe returns the elements of a record; d is null where its texts are not in this page.
  records.describe = (table, n, d) => {
    const part = records.head.parts[table.part[n]];
    const out = [el("p", { class: "records-soft" }, `Row ${table.row[n]} of `, el("bdi", {}, table.dataset),
      `, ${part} part, cascade `, el("bdi", {}, table.cascade))];
    if (d) {
      out.push(el("h4", {}, "Prompt"), passage(d.prompt, "Prompt"));
      if (d.references) {
        out.push(el("h4", {}, d.references.length > 1 ? "Accepted answers" : "Reference"),
          el("ul", { class: "records-references" }, ...d.references.map((r) => el("li", { dir: "auto" }, r))));
      }
      d.answers.forEach((a, m) => out.push(answer(a, table, m)));
    } else {
      out.push(el("p", {}, records.absent));
      table.models.forEach((name, m) => out.push(answer(bare(table, n, m), { ...table, models: table.models }, m)));
    }
    out.push(el("h4", {}, "Decisions"), decisions(table, n, d && d.decisions));
    return out;
  };

  // bare is what the columns alone say of an answer.
  function bare(table, n, m) {
    if (!table.isAnswered(m, n)) return { model: table.models[m], cause: "see records.jsonl" };
    return { model: table.models[m], text: table.classes[table.answers[m].class[n]],
      mark: !table.used(n) ? "not used" : table.isRight(m, n) ? "right" : "wrong",
      facts: [["confidence", table.beta(m, n).toFixed(6)], ["cost", records.number(table.answers[m].cost[n])]] };
  }

  records.absent = "The texts of these records are not in this file: they are larger than the study's [report] texts. " +
    "records.jsonl has them all.";

  // number writes a number with six digits, as C's %g does.
  records.number = (x) => {
    if (Number.isNaN(x)) return "";
    const plain = Number(x.toPrecision(6));
    const size = Math.abs(plain);
    return size !== 0 && (size < 1e-4 || size >= 1e6)
      ? plain.toExponential().replace(/e([+-])(\d)$/, "e$10$2") : String(plain);
  };
})();
