"use strict";
// What the page's other scripts share. Texts become text nodes; nothing here makes markup of them.
const infnet = (() => {
  const parsed = new Map();

  // block returns the data of an element of JSON, or null where the page has none of this id.
  function block(id) {
    if (!parsed.has(id)) {
      const element = document.getElementById(id);
      parsed.set(id, element && element.type === "application/json" ? JSON.parse(element.textContent) : null);
    }
    return parsed.get(id);
  }

  // bytes decodes base64.
  function bytes(base64) {
    const text = atob(base64);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  }

  // varints decodes whole numbers: seven bits a byte, the least first. They are exact below 2⁵³.
  function varints(base64) {
    const out = [];
    let value = 0, place = 1;
    for (const byte of bytes(base64)) {
      value += (byte & 127) * place;
      place *= 128;
      if (byte < 128) {
        out.push(value);
        value = 0;
        place = 1;
      }
    }
    return out;
  }

  // steps decodes numbers that are packed as the differences of neighbours: 2d for d ≥ 0, −2d−1 below.
  function steps(base64) {
    const out = varints(base64);
    let last = 0;
    for (let i = 0; i < out.length; i++) {
      last += out[i] % 2 === 0 ? out[i] / 2 : -(out[i] + 1) / 2;
      out[i] = last;
    }
    return out;
  }

  // floats decodes 64-bit numbers, the least byte first.
  function floats(base64) {
    const raw = bytes(base64);
    const view = new DataView(raw.buffer);
    return Float64Array.from({length: raw.length / 8}, (_, i) => view.getFloat64(8 * i, true));
  }

  // inflate unpacks a compressed text's bytes.
  async function inflate(base64) {
    const stream = new Blob([bytes(base64)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === false || value === null || value === undefined) continue;
      if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
      else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
    return element;
  }

  // el makes an element; children are nodes or texts, an attribute that is a function listens to an event.
  const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  // say speaks to those who listen to the page.
  function say(text) {
    document.getElementById("said").textContent = text;
  }

  // percent writes a share; digits after the point.
  const percent = (share, digits = 1) => (100 * share).toFixed(digits);

  return {block, bytes, varints, steps, floats, inflate, el, svg, say, percent, showRecords: null,
    get data() { return block("data"); }};
})();
