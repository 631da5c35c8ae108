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

  // inflate unpacks a compressed text.
  function inflate(base64) {
    return new Response(new Blob([bytes(base64)]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
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

  return {block, inflate, el, svg, say, percent, showRecords: null,
    get data() { return block("data"); }};
})();
