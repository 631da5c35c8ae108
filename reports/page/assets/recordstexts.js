// The texts of records: unpacked by blocks when they are wanted.
"use strict";
(() => {
  const records = infnet.records;
  if (!records) return;
  const { head } = records;

  const kept = new Map(), most = 64; // blocks that are unpacked, the latest used last

  // block returns the details of a block of records.
  function block(place, k) {
    const name = place + "/" + k;
    let found = kept.get(name);
    kept.delete(name);
    if (!found) found = unpack(place, k);
    kept.set(name, found);
    if (kept.size > most) kept.delete(kept.keys().next().value);
    return found;
  }

  async function unpack(place, k) {
    const packed = infnet.block("drill-texts-" + place)[k];
    return JSON.parse(await infnet.inflate(packed));
  }

  // detail returns one record in words: null = its texts are not in this page.
  async function detail(table, n) {
    if (!table.texts) return null;
    const k = Math.floor(n / head.per), found = (await block(table.place, k))[n % head.per];
    if (!found.same) return found;
    const first = (await block(table.first, k))[n % head.per];
    return { ...found, prompt: first.prompt, references: first.references };
  }

  // question is what sets a record's prompt apart from those of its table, on one line: what its first prompts begin and
  // end with alike, an instruction or the names of fields, is left out. "" = its texts are not in this page.
  async function question(table, n, wanted) {
    if (!table.texts) return "";
    await new Promise((done) => setTimeout(done, 0));
    if (!wanted()) return ""; // scrolled out of sight meanwhile
    table.frame = table.frame || frame(table);
    const {before, after} = await table.frame, {prompt} = await detail(table, n);
    const own = prompt.slice(before, prompt.length - after).trim() || prompt;
    return own.slice(0, 300).replace(/\s+/g, " ");
  }

  // frame counts the characters, up to a space, that the first prompts of a table begin and end with alike.
  async function frame(table) {
    const some = [];
    for (let n = 0; n < Math.min(table.records, 6); n++) some.push((await detail(table, n)).prompt);
    const alike = (at) => {
      let k = 0;
      while (k < some[0].length && some.every((s) => at(s, k) === at(some[0], k))) k++;
      while (k > 0 && !/\s/.test(at(some[0], k - 1))) k--;
      return k;
    };
    if (new Set(some).size < 2) return {before: 0, after: 0};
    return {before: alike((s, k) => s[k]), after: alike((s, k) => s[s.length - 1 - k])};
  }

  // search returns a bit per record: whether its id or its texts hold a text. say is called with how far it is; go on
  // is asked whether anybody still wants to know.
  async function search(table, text, say, wanted) {
    const found = new Uint8Array(Math.ceil(table.records / 8)), wantedText = text.toLowerCase();
    const holds = (s) => s.toLowerCase().includes(wantedText);
    for (let n = 0; n < table.records; n++) {
      let hit = holds(table.id(n));
      if (!hit && table.texts) {
        if (n % head.per === 0) {
          say(n);
          if (!wanted()) return null;
        }
        const d = await detail(table, n);
        hit = holds(d.prompt) || (d.references || []).some(holds) || d.answers.some((a) => holds(a.text));
      }
      if (hit) found[n >> 3] |= 1 << (n & 7);
    }
    return found;
  }

  Object.assign(records, { detail, question, search });
})();
