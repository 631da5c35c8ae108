// A list of many rows, of which only those in sight exist. It owns scrolling, the marked row and the keys.
"use strict";
(() => {
  if (!infnet.records) return;
  const height = 34; // of a row, in pixels, as in records.css
  const tallest = 8e6; // what every browser scrolls precisely; a longer list moves faster than the thumb

  // List fills a box inside a grid with rows. The grid has the focus and takes the keys. fill(row, n) writes the n-th
  // record into an empty row; choose(n) is called for the row that is opened, mark(n) for the one that is marked.
  class List {
    constructor(grid, box, { fill, choose, mark }) {
      Object.assign(this, { grid, box, fill, choose, mark, places: new Uint32Array(0), at: 0 });
      this.space = infnet.el("div", { class: "records-space", role: "presentation" });
      box.append(this.space);
      this.rows = new Map(); // by place in the list
      this.spare = [];
      box.addEventListener("scroll", () => this.later());
      grid.addEventListener("keydown", (e) => this.key(e));
      box.addEventListener("click", (e) => {
        const row = e.target.closest("[data-at]");
        if (row) { this.move(Number(row.dataset.at)); this.choose(this.places[this.at]); }
      });
      new ResizeObserver(() => {
        grid.style.setProperty("--records-bar", box.offsetWidth - box.clientWidth + "px"); // of the scroll bar
        this.later();
      }).observe(box);
    }

    // show replaces what is listed.
    show(places) {
      this.places = places;
      this.at = 0;
      this.box.scrollTop = 0;
      this.grid.setAttribute("aria-rowcount", String(places.length + 1));
      this.space.style.height = Math.min(places.length * height, tallest) + "px";
      this.refresh();
    }

    // refresh writes every row in sight again.
    refresh() {
      for (const [at, row] of this.rows) this.drop(at, row);
      this.draw();
    }

    later() {
      if (this.pending) return;
      this.pending = true;
      requestAnimationFrame(() => { this.pending = false; this.draw(); });
    }

    // first is the place of the uppermost row in sight, with the part of it that is out of sight.
    first() {
      const total = this.places.length * height;
      if (total <= tallest) return this.box.scrollTop / height;
      const share = this.box.scrollTop / (tallest - this.box.clientHeight);
      return share * (this.places.length - this.box.clientHeight / height);
    }

    draw() {
      const first = Math.max(0, this.first()), sight = Math.ceil(this.box.clientHeight / height) + 1;
      const from = Math.max(0, Math.floor(first) - 4), to = Math.min(this.places.length, Math.floor(first) + sight + 4);
      for (const [at, row] of this.rows) if (at < from || at >= to) this.drop(at, row);
      for (let at = from; at < to; at++) {
        let row = this.rows.get(at);
        if (!row) {
          row = this.spare.pop() || infnet.el("div", { class: "records-row", role: "row" });
          row.dataset.at = String(at);
          row.id = "records-row-" + at;
          row.setAttribute("aria-rowindex", String(at + 2));
          this.fill(row, this.places[at]);
          this.rows.set(at, row);
          this.space.append(row);
        }
        row.style.transform = `translateY(${Math.round(this.box.scrollTop + (at - first) * height)}px)`;
        row.setAttribute("aria-selected", String(at === this.at));
      }
      if (this.rows.has(this.at)) this.grid.setAttribute("aria-activedescendant", "records-row-" + this.at);
      else this.grid.removeAttribute("aria-activedescendant");
    }

    drop(at, row) {
      this.rows.delete(at);
      row.remove();
      row.replaceChildren();
      this.spare.push(row);
    }

    // move marks a row and brings it into sight.
    move(at) {
      if (!this.places.length) return;
      this.at = Math.max(0, Math.min(this.places.length - 1, at));
      const first = this.first(), sight = this.box.clientHeight / height;
      if (this.at < first) this.scrollTo(this.at);
      else if (this.at + 1 > first + sight) this.scrollTo(this.at + 1 - sight);
      this.draw();
      if (this.mark) this.mark(this.places[this.at]);
    }

    scrollTo(first) {
      const total = this.places.length * height;
      this.box.scrollTop = total <= tallest ? first * height
        : (first / (this.places.length - this.box.clientHeight / height)) * (tallest - this.box.clientHeight);
    }

    key(e) {
      const page = Math.max(1, Math.floor(this.box.clientHeight / height) - 1);
      const to = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page, PageUp: this.at - page,
        Home: 0, End: this.places.length - 1 }[e.key];
      if (to !== undefined) this.move(to);
      else if (e.key === "Enter" && this.places.length) this.choose(this.places[this.at]);
      else return;
      e.preventDefault();
    }
  }

  infnet.records.List = List;
})();
