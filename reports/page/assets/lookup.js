"use strict";
// What the slider looks up: the positions of a group, and what the program fitted for each and counted on both parts. Nothing here touches the page.
infnet.lookUp = (() => {
  // unpack readies a group when it is looked at first: thresholds may be infinite.
  function unpack(g) {
    if (g.unpacked) return g;
    g.unpacked = true;
    g.positions = g.budgets || [];
    for (const p of [g.single, g.multi]) if (p) p.thetas = p.thetas.map((list) => list.map((v) => (v === "+Inf" ? Infinity : v)));
    return g;
  }

  // at is what thresholds of one form do at a position.
  function at(g, form, position) {
    const p = g[form];
    if (!p) return null;
    const i = p.at[position];
    return {
      feasible: p.errors[i] <= g.positions[position],
      errors: p.errors[i] / g.fit.scale, deferred: p.deferred[i],
      thresholds: p.thetas.map((list) => list[i]),
      test: {errors: p.test_errors[i] / g.test.scale, deferred: p.test_deferred[i]},
      saved: g.ratio === undefined ? null : 100 * (1 - g.ratio - p.test_deferred[i] / g.test.records),
    };
  }

  // find returns the position of a target as a person writes it: the strictest budget that it names, or -1. A target
  // that is stricter than all positions is at the first; no thresholds meet either.
  function find(g, text) {
    const named = (g.marks || []).find((m) => m.name === text.trim().toLowerCase());
    if (named) return named.at;
    const budget = budgetOf(g, text);
    if (budget < 0) return -1;
    let i = 0;
    while (i + 1 < g.positions.length && g.positions[i + 1] <= budget) i++;
    return i;
  }

  // budgetOf is what a number allows, exactly, in units of errors; -1 = it is no target.
  function budgetOf(g, text) {
    const exact = /^(?:0?\.(\d{1,12})|([01])(?:\.(0{0,12}))?)$/.exec(text.trim());
    if (!exact) return -1;
    const digits = exact[1] || "", unit = 10n ** BigInt(digits.length);
    const share = exact[2] === undefined ? unit - BigInt(digits) : exact[2] === "1" ? 0n : unit;
    return Number(share * BigInt(g.fit.records) * BigInt(g.fit.scale) / unit);
  }

  return {unpack, at, find, budgetOf};
})();
