// The records as columns: which there are, which pass a filter, and in which order. Nothing here touches the page.
"use strict";
(() => {
  const head = infnet.block("drill");
  if (!head) return; // a page without records

  const bits = { answered: 1, right: 2, refused: 4 };
  const opened = new Map(); // by place

  // open returns the table at a place with its columns.
  function open(place) {
    if (!opened.has(place)) {
      opened.set(place, load(place).catch((err) => { opened.delete(place); throw err; }));
    }
    return opened.get(place);
  }

  async function load(place) {
    const listed = head.tables[place];
    const columns = listed.held ? JSON.parse(await infnet.inflate(infnet.block("drill-" + place))) : {answers: [], ways: []};
    return new Table(listed, place, columns);
  }

  class Table {
    constructor(listed, place, {row, id, part, class: reference, answers, ways}) {
      Object.assign(this, listed, { place, row, part, class: reference, ids: id || null, answers, way: ways });
    }

    id(n) { return this.ids ? this.ids[n] : String(this.row[n]); }

    used(n) { return head.parts[this.part[n]] !== "unused"; }

    // wayOf returns how a policy answered a record: who was asked, and whose answer counted; null = it decided nothing.
    wayOf(policy, n) {
      const p = this.policies[policy];
      if (!p) return null;
      const k = p.all ? (this.used(n) ? p.all : 0) : this.way[policy] ? this.way[policy][n] : 0;
      return k ? p.ways[k] : null;
    }

    isRight(model, n) { return (this.answers[model].state[n] & bits.right) !== 0; }

    isAnswered(model, n) { return (this.answers[model].state[n] & bits.answered) !== 0; }

    // errorOf is the error of a model's answer: 0 or 1, or a share where errors are soft.
    errorOf(model, n) {
      const soft = this.answers[model].error;
      return soft ? soft[n] : this.isRight(model, n) ? 0 : 1;
    }

    beta(model, n) { return this.answers[model].beta[n] / 1e6; }

    // costOf is what a record costs under a policy; without one, what all models cost together.
    costOf(policy, n) {
      const way = policy < 0 ? null : this.wayOf(policy, n);
      if (policy >= 0 && !way) return NaN;
      let sum = 0;
      for (const m of way ? way.asked : this.models.keys()) sum += this.answers[m].cost[n];
      return sum;
    }

    // passes says whether a record passes a filter: {part, policy, decision, outcome, models, class, found}.
    passes(f, n) {
      if (f.part !== "" && head.parts[this.part[n]] !== f.part) return false;
      if (f.class > 0 && this.class[n] !== f.class) return false;
      if (f.found && !(f.found[n >> 3] & (1 << (n & 7)))) return false;
      for (let m = 0; m < f.models.length; m++) {
        if (!f.models[m]) continue;
        if (!this.used(n) || this.isRight(m, n) !== (f.models[m] === "right")) return false;
      }
      if (!f.decision && !f.outcome) return true;
      const way = this.wayOf(f.policy, n);
      if (!way) return false;
      if (f.decision === "deferred" && !way.deferred) return false;
      if (f.decision === "accepted" && way.deferred) return false;
      if (f.decision.startsWith("final-") && way.final !== Number(f.decision.slice(6))) return false;
      if (f.outcome === "costly") return this.errorOf(way.final, n) > 0;
      return !f.outcome || this.isRight(way.final, n) === (f.outcome === "right");
    }

    // select returns the places of the records that pass.
    select(f) {
      const out = new Uint32Array(this.records);
      let count = 0;
      for (let n = 0; n < this.records; n++) if (this.passes(f, n)) out[count++] = n;
      return out.subarray(0, count);
    }

    // sorted returns places in an order; equal records keep the order of the file.
    sorted(places, by, down, policy) {
      if (by === "row") return down ? Uint32Array.from(places).reverse() : places;
      const key = new Float64Array(this.records), numbered = !this.ids || this.ids.every((s) => /^\d{1,15}$/.test(s));
      const out = Uint32Array.from(places);
      if (by === "id" && !numbered) {
        const ids = this.ids;
        out.sort((a, b) => (ids[a] < ids[b] ? -1 : ids[a] > ids[b] ? 1 : a - b));
        return down ? out.reverse() : out;
      }
      const of = by === "id" ? (n) => Number(this.id(n)) : by === "cost" ? (n) => this.costOf(policy, n)
        : (n) => this.answers[Number(by.slice(5))].beta[n];
      for (const n of out) {
        const v = of(n);
        key[n] = Number.isNaN(v) ? -1 : v;
      }
      const sign = down ? -1 : 1;
      return out.sort((a, b) => sign * (key[a] - key[b]) || a - b);
    }

    // counts says of the records of a part, or of all, how many there are, and what a policy did with them.
    counts(part, policy) {
      const c = { records: 0, deferred: 0, wrong: 0, error: 0, decided: 0 };
      for (let n = 0; n < this.records; n++) {
        if (part !== "" && head.parts[this.part[n]] !== part) continue;
        c.records++;
        const way = this.wayOf(policy, n);
        if (!way) continue;
        c.decided++;
        if (way.deferred) c.deferred++;
        if (!this.isRight(way.final, n)) c.wrong++;
        c.error += this.errorOf(way.final, n);
      }
      return c;
    }
  }

  // place returns where the table of a cascade on a dataset is; -1 = nowhere.
  const place = (cascade, dataset) => head.tables.findIndex((t) => t.cascade === cascade && t.dataset === dataset);

  infnet.records = { head, open, place };
})();
