package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/published"
)

// A cascade pays the student on every query and the master on the deferred
// share Def, so that with saved = 100·(1 − cost/c_m)
//
//	saved(None) − saved(row) = 100·Def
//
// whatever the costs are. A router pays one of the two, so that
//
//	saved(row) = (1 − Def)·saved(None)

// deferral is a number of deferred test records, and how far rounding may have
// moved it.
type deferral struct{ records, slack float64 }

// cascade reads a row's deferrals off its saving, charged as a cascade.
func cascade(none, saved published.Number, n int) deferral {
	return deferral{(none.Value - saved.Value) / 100 * float64(n), (none.Half() + saved.Half()) / 100 * float64(n)}
}

// router reads them off charged as a router.
func router(none, saved published.Number, n int) deferral {
	ratio := saved.Value / none.Value
	slack := saved.Half()/none.Value + math.Abs(ratio)*none.Half()/none.Value
	return deferral{(1 - ratio) * float64(n), slack * float64(n)}
}

// whole reports whether a whole number of records fits.
func (d deferral) whole() bool { return math.Abs(d.records-math.Round(d.records)) <= d.slack+1e-9 }

// conclusive reports whether rounding left enough digits to decide that.
func (d deferral) conclusive() bool { return d.slack < 0.5 }

// randomRows holds the random rows to the one draw they come from.
func randomRows(b *published.Book) (Finding, error) {
	f := Finding{
		Title:   "Random rows are one draw of NumPy's generator",
		Columns: []string{"Dataset", "Test records", "Deferred by the draw", "Saving it costs", "Random rows", "that fit"},
	}
	all, err := b.Draws()
	if err != nil {
		return f, err
	}
	fits := 0
	for _, d := range b.Datasets {
		n, deferred, rows, good := d.Tests(), 0, 0, 0
		for _, x := range all {
			if x.Group.Dataset == d.Name {
				deferred, rows = x.Deferred, rows+1
				if x.Fits {
					good++
				}
			}
		}
		fits += good
		f.Rows = append(f.Rows, []string{d.Name, fmt.Sprint(n), fmt.Sprint(deferred),
			decimals(100*float64(deferred)/float64(n), 4), fmt.Sprint(rows), fmt.Sprint(good)})
	}
	seed, err := b.Seed()
	if err != nil {
		return f, err
	}
	f.Found = of(fits, len(all), "random rows fit")
	f.Method = fmt.Sprintf("A random row costs the difference of its saving to the None row's, which is the share of "+
		"records it defers. default_rng of %s draws once per test record and defers below ½. "+
		"It also tells how many test records there were: of the fifths of whole thousands up to 10,000, most rows of "+
		"fakenews fit %s, and most of the others %s.",
		b.Protocol["random"], fitting(seed, all, []string{"fakenews"}), fitting(seed, all, otherThan(b, "fakenews")))
	return f, nil
}

func otherThan(b *published.Book, name string) []string {
	var out []string
	for _, d := range b.Datasets {
		if d.Name != name {
			out = append(out, d.Name)
		}
	}
	return out
}

// fitting lists the sizes of test parts, a fifth of whole thousands, with
// which most random rows of the datasets fit.
func fitting(seed uint64, all []published.Draw, datasets []string) string {
	best, sizes := 0, []string(nil)
	for n := 200; n <= 2000; n += 200 {
		deferred, fits := published.Deferrals(seed, n), 0
		for _, d := range all {
			if slices.Contains(datasets, d.Group.Dataset) && d.FitsDraw(deferred, n) {
				fits++
			}
		}
		if fits > best {
			best, sizes = fits, nil
		}
		if fits == best {
			sizes = append(sizes, fmt.Sprint(n))
		}
	}
	return strings.Join(sizes, " or ") + " test records"
}

// misprints looks at the None rows that the random rows contradict.
func misprints(b *published.Book) (Finding, error) {
	f := Finding{
		Title: "None rows that the random rows contradict",
		Method: "Where the random row does not fit, it implies another None row. A saving of 100 would mean that the " +
			"student costs nothing. What follows is computed with the implied numbers.",
		Columns: []string{"Table", "Dataset", "Pair", "Printed", "Implied by Random", "None rows of the pair elsewhere"},
	}
	all, err := b.Draws()
	if err != nil {
		return f, err
	}
	for _, d := range all {
		if d.Fits {
			continue
		}
		least, most, elsewhere := math.Inf(1), math.Inf(-1), "there are none"
		for _, o := range all {
			if o.Fits && o.Group.Student == d.Group.Student && o.Group.Master == d.Group.Master {
				least, most = min(least, o.None.Saved.Value), max(most, o.None.Saved.Value)
				elsewhere = fmt.Sprintf("%.2f to %.2f", least, most)
			}
		}
		f.Rows = append(f.Rows, append(where(d.Group), d.None.Saved.Text, decimals(d.Implied, 2), elsewhere))
	}
	f.Found = of(len(f.Rows), len(all), "None rows")
	return f, nil
}

// wholeDeferrals looks for deferred records that are no whole number.
func wholeDeferrals(b *published.Book) (Finding, error) {
	f := Finding{
		Title:   "Savings that no whole number of deferred records gives",
		Columns: []string{"Table", "Dataset", "Pair", "Policy", "Saved %", "Deferred records", "± by rounding", "of"},
	}
	all, err := b.Draws()
	if err != nil {
		return f, err
	}
	cells, blurred := 0, 0
	for _, d := range all {
		for _, r := range d.Group.Rows {
			if r.Policy == published.None || r.Policy == published.All || r.Policy == published.Random {
				continue
			}
			cells++
			c := cascade(d.Likely(), r.Saved, d.Records)
			if !c.conclusive() {
				blurred++
			} else if !c.whole() {
				f.Rows = append(f.Rows, append(where(d.Group), r.Policy, r.Saved.Text, decimals(c.records, 2), decimals(c.slack, 2),
					fmt.Sprint(d.Records)))
			}
		}
	}
	f.Found = of(len(f.Rows), cells, "cells")
	f.Method = fmt.Sprintf("Every fitted row defers a whole number of the test records, and saves that share of the "+
		"master's cost less than the None row (as corrected above). "+
		"Rows of a router are read as charged like a cascade; see below. %d cells were printed too coarsely to tell.",
		blurred)
	return f, nil
}

// chargedAs asks whether HybridLLM's rows are charged as its own paper does.
func chargedAs(b *published.Book) (Finding, error) {
	f := Finding{
		Title: "HybridLLM, a router, is charged as a cascade",
		Method: "A router decides before any model answers, and pays one of the two: its cost can never exceed the " +
			"master's, and its deferrals are those of saved = (1 − Def)·saved(None). Counted are the rows that defer " +
			"something and were printed finely enough to tell.",
		Columns: []string{"Charged as", "Rows whose deferrals are whole", "of", "Rows saving less than 0"},
	}
	all, err := b.Draws()
	if err != nil {
		return f, err
	}
	rows, asCascade, asRouter := 0, 0, 0
	var negative []string
	for _, d := range all {
		r, ok := d.Group.Row(published.HybridLLM)
		if !ok {
			continue
		}
		if r.Saved.Value < 0 {
			negative = append(negative, fmt.Sprintf("%s %s: %s", d.Group.Table, d.Group.Dataset, r.Saved.Text))
		}
		c, o := cascade(d.Likely(), r.Saved, d.Records), router(d.Likely(), r.Saved, d.Records)
		if !c.conclusive() || !o.conclusive() || math.Round(c.records) == 0 {
			continue
		}
		rows++
		if c.whole() {
			asCascade++
		}
		if o.whole() {
			asRouter++
		}
	}
	f.Rows = [][]string{
		{"cascade", fmt.Sprint(asCascade), fmt.Sprint(rows), "possible"},
		{"router", fmt.Sprint(asRouter), fmt.Sprint(rows), "impossible; printed: " + strings.Join(negative, ", ")},
	}
	f.Found = fmt.Sprintf("%d of %d rows fit a cascade, %d a router", asCascade, rows, asRouter)
	return f, nil
}
