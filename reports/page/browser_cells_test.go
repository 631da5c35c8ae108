package page_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"infnet/harness/result"
)

// opened is what the dialog of a cell counts.
type opened struct {
	Cascade, Dataset, Policy, Field, Text   string
	Shown, Records, Deferred, Wrong, Error_ float64
	Open                                    bool
}

// openSome opens the dialog of twenty cells, spread over those of errors, of deferrals and of the rest, as a click
// does, and says what each counted.
const openSome = `(async () => {
	const pause = () => new Promise((done) => setTimeout(done, 0)); // nothing has to be painted
	const dialog = document.querySelector("dialog.records"), out = [];
	const about = (e, name) => e.closest("[data-" + name + "]").dataset[name];
	const all = [...document.querySelectorAll("button.open")], kinds = {error: 8, deferred: 7, "": 5};
	const sample = Object.entries(kinds).flatMap(([kind, most]) => {
		const list = all.filter((b) => (about(b, "field") in kinds ? about(b, "field") : "") === kind);
		return Array.from({length: Math.min(most, list.length)}, (_, i) => list[Math.floor(i * list.length / most)]);
	});
	for (const button of sample) {
		delete dialog.dataset.shown;
		button.click();
		const late = performance.now() + 60000;
		while (dialog.dataset.shown === undefined && performance.now() < late) await pause();
		if (dialog.dataset.shown === undefined) throw new Error("not opened: " + button.textContent + dialog.textContent);
		const d = dialog.dataset, n = (x) => Number(d[x]);
		out.push({cascade: about(button, "cascade"), dataset: about(button, "dataset"), policy: about(button, "policy"),
			field: about(button, "field"), text: button.textContent, shown: n("shown"), records: n("records"),
			deferred: n("deferred"), wrong: n("wrong"), error_: n("error"), open: dialog.open});
	}
	return out;
})()`

// Cells of tables and cards open as many records as they say: deferred, wrong, or all of the test part.
func TestCellsOpenWhatTheyCount(t *testing.T) {
	b := startBrowser(t)
	for name, dir := range map[string]string{"pair": simulated(t), "chain": chain(t), "all tasks": quick(t),
		"soft errors": soft(t)} {
		t.Run(name, func(t *testing.T) {
			r, err := result.ReadFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			p := b.Open(address(pageOf(dir)))
			var cells []opened
			p.Eval(openSome, &cells)
			fields := map[string]int{}
			for _, c := range cells {
				check(t, r, &c)
				fields[c.Field]++
			}
			if fields["error"] < 5 || fields["deferred"] < 5 || len(cells) < 15 {
				t.Errorf("%d cells opened, by field %v: the test does not see the tables", len(cells), fields)
			}
			quiet(t, p, address(pageOf(dir)))
		})
	}
}

// check compares what a cell opened with the row of results.json that the table prints.
func check(t *testing.T, r *result.Results, c *opened) {
	t.Helper()
	row, d := find(r, c.Cascade, c.Dataset, c.Policy)
	if row == nil {
		t.Errorf("cell %q of %s, %s, %s: no such row", c.Text, c.Cascade, c.Dataset, c.Policy)
		return
	}
	n := float64(row.Error.N)
	deferred, errors := math.Round(row.Deferred.Value*n), row.Error.Value*n
	if row.Policy == "random" { // an expectation: no record has a decision
		deferred, errors = 0, 0
	}
	want := n
	switch {
	case row.Policy == "random":
	case c.Field == "error" && d.Soft: // those with any error: at least as many as their errors add up to
		if want = c.Shown; c.Shown < errors || (c.Shown > 0) != (errors > 0) {
			t.Errorf("cell %q of %s on %s opens %v records with errors of %v", c.Text, c.Policy, c.Dataset, c.Shown, errors)
		}
		printed(t, c, errors/n)
	case c.Field == "error":
		want = c.Wrong
		printed(t, c, errors/n)
	case c.Field == "deferred":
		want = deferred
		printed(t, c, deferred/n)
	}
	if !c.Open || c.Records != n || c.Deferred != deferred || c.Shown != want ||
		math.Abs(c.Error_-errors) > 1e-6 || !d.Soft && math.Abs(c.Wrong-errors) > 1e-6 {
		t.Errorf("cell %q (%s) of %s on %s: %+v; the table has %v records, %v deferred, %v errors", c.Text, c.Field, c.Policy,
			c.Dataset, *c, n, deferred, errors)
	}
}

// printed compares the number in a cell, a percentage, with a share.
func printed(t *testing.T, c *opened, share float64) {
	t.Helper()
	number, _, _ := strings.Cut(c.Text, " ")
	_, digits, _ := strings.Cut(number, ".")
	if want := strconv.FormatFloat(100*share, 'f', len(digits), 64); number != want {
		t.Errorf("cell %q (%s) of %s on %s: its records are %s %%", c.Text, c.Field, c.Policy, c.Dataset, want)
	}
}

func find(r *result.Results, cascade, dataset, policy string) (*result.Row, *result.Dataset) {
	c := result.Find(r.Cascades, func(c *result.Cascade) bool { return c.Name == cascade })
	if c == nil {
		return nil, nil
	}
	d := result.Find(c.Datasets, func(d *result.Dataset) bool { return d.Name == dataset })
	if d == nil {
		return nil, nil
	}
	return d.Row(policy), d
}
