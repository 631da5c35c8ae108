package published

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/seed"
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
func cascade(none, saved Number, n int) deferral {
	return deferral{(none.Value - saved.Value) / 100 * float64(n), (none.Half() + saved.Half()) / 100 * float64(n)}
}

// router reads them off charged as a router.
func router(none, saved Number, n int) deferral {
	ratio := saved.Value / none.Value
	slack := saved.Half()/none.Value + math.Abs(ratio)*none.Half()/none.Value
	return deferral{(1 - ratio) * float64(n), slack * float64(n)}
}

// whole reports whether a whole number of records fits.
func (d deferral) whole() bool { return math.Abs(d.records-math.Round(d.records)) <= d.slack+1e-9 }

// tells reports whether a number that is not whole could be told at all.
func (d deferral) tells() bool { return d.slack < 0.5 }

// coins is the number of records that the published random row defers: one
// draw of NumPy's generator per record, deferred where it is below one half.
func coins(start uint64, n int) int {
	random, deferred := seed.NewNumPy(start), 0
	for range n {
		if random.Float64() < 0.5 {
			deferred++
		}
	}
	return deferred
}

// seed is that of the published random rows.
func (b *Book) seed() (uint64, error) {
	digits, ok := strings.CutPrefix(b.Protocol["random"], "numpy:")
	seed, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("protocol.csv: random %q is no numpy:SEED", b.Protocol["random"])
	}
	return seed, nil
}

// drawn is a group's random row beside the draw.
type drawn struct {
	group        *Group
	none, random Row
	n, coins     int
	fits         bool    // the printed difference is that of the draw
	implied      float64 // saving of the None row that the random row and the draw imply
}

func draws(b *Book) ([]drawn, error) {
	seed, err := b.seed()
	if err != nil {
		return nil, err
	}
	var out []drawn
	for _, g := range b.groups() {
		none, ok := g.Row(None)
		random, also := g.Row(Random)
		if !ok || !also {
			continue
		}
		d := drawn{group: g, none: none, random: random, n: b.Dataset(g.Dataset).Tests()}
		d.coins = coins(seed, d.n)
		d.fits = d.draws(d.coins, d.n)
		d.implied = random.Saved.Value + 100*float64(d.coins)/float64(d.n)
		out = append(out, d)
	}
	return out, nil
}

// draws reports whether the random row costs what deferring so many of n
// records costs, within a unit of each number's last digit: some of them are
// cut and not rounded.
func (d *drawn) draws(deferred, n int) bool {
	off := d.none.Saved.Value - d.random.Saved.Value - 100*float64(deferred)/float64(n)
	return math.Abs(off) <= d.none.Saved.Unit+d.random.Saved.Unit+1e-9
}

// randomRows holds the random rows to the one draw they come from.
func randomRows(b *Book) (Finding, error) {
	f := Finding{
		Title:   "Random rows are one draw of NumPy's generator",
		Columns: []string{"Dataset", "Test records", "Deferred by the draw", "Saving it costs", "Random rows", "that fit"},
	}
	all, err := draws(b)
	if err != nil {
		return f, err
	}
	fits := 0
	for _, d := range b.Datasets {
		n, deferred, rows, good := d.Tests(), 0, 0, 0
		for _, x := range all {
			if x.group.Dataset == d.Name {
				deferred, rows = x.coins, rows+1
				if x.fits {
					good++
				}
			}
		}
		fits += good
		f.Rows = append(f.Rows, []string{d.Name, fmt.Sprint(n), fmt.Sprint(deferred), decimals(100*float64(deferred)/float64(n), 4), fmt.Sprint(rows), fmt.Sprint(good)})
	}
	seed, err := b.seed()
	if err != nil {
		return f, err
	}
	f.Found = of(fits, len(all), "random rows fit")
	f.Method = fmt.Sprintf("A random row costs the difference of its saving to the None row's, which is the share of records it defers. default_rng of %s draws once per test record and defers below ½. "+
		"It also tells how many test records there were: of the fifths of whole thousands up to 10,000, most rows of fakenews fit %s, and most of the others %s.",
		b.Protocol["random"], fitting(seed, all, []string{"fakenews"}), fitting(seed, all, otherThan(b, "fakenews")))
	return f, nil
}

func otherThan(b *Book, name string) []string {
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
func fitting(seed uint64, all []drawn, datasets []string) string {
	best, sizes := 0, []string(nil)
	for n := 200; n <= 2000; n += 200 {
		deferred, fits := coins(seed, n), 0
		for _, d := range all {
			if slices.Contains(datasets, d.group.Dataset) && d.draws(deferred, n) {
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
func misprints(b *Book) (Finding, error) {
	f := Finding{
		Title:   "None rows that the random rows contradict",
		Method:  "Where the random row does not fit, it implies another None row. A saving of 100 would mean that the student costs nothing. What follows is computed with the implied numbers.",
		Columns: []string{"Table", "Dataset", "Pair", "Printed", "Implied by Random", "None rows of the pair elsewhere"},
	}
	all, err := draws(b)
	if err != nil {
		return f, err
	}
	for _, d := range all {
		if d.fits {
			continue
		}
		least, most, elsewhere := math.Inf(1), math.Inf(-1), "there are none"
		for _, o := range all {
			if o.fits && o.group.Student == d.group.Student && o.group.Master == d.group.Master {
				least, most = min(least, o.none.Saved.Value), max(most, o.none.Saved.Value)
				elsewhere = fmt.Sprintf("%.2f to %.2f", least, most)
			}
		}
		f.Rows = append(f.Rows, append(d.group.where(), d.none.Saved.Text, decimals(d.implied, 2), elsewhere))
	}
	f.Found = of(len(f.Rows), len(all), "None rows")
	return f, nil
}

// likely is the None row's saving: the printed one where the random row fits,
// else the implied one, which is known as exactly as the random row's.
func (d *drawn) likely() Number {
	if d.fits {
		return d.none.Saved
	}
	return Number{Text: decimals(d.implied, 2), Value: d.implied, Unit: 0}
}

// wholeDeferrals looks for deferred records that are no whole number.
func wholeDeferrals(b *Book) (Finding, error) {
	f := Finding{
		Title:   "Savings that no whole number of deferred records gives",
		Columns: []string{"Table", "Dataset", "Pair", "Policy", "Saved %", "Deferred records", "± by rounding", "of"},
	}
	all, err := draws(b)
	if err != nil {
		return f, err
	}
	cells, blurred := 0, 0
	for _, d := range all {
		for _, r := range d.group.Rows {
			if r.Policy == None || r.Policy == All || r.Policy == Random {
				continue
			}
			cells++
			c := cascade(d.likely(), r.Saved, d.n)
			if !c.tells() {
				blurred++
			} else if !c.whole() {
				f.Rows = append(f.Rows, append(d.group.where(), r.Policy, r.Saved.Text, decimals(c.records, 2), decimals(c.slack, 2), fmt.Sprint(d.n)))
			}
		}
	}
	f.Found = of(len(f.Rows), cells, "cells")
	f.Method = fmt.Sprintf("Every fitted row defers a whole number of the test records, and saves that share of the master's cost less than the None row (as corrected above). "+
		"Rows of a router are read as charged like a cascade; see below. %d cells were printed too coarsely to tell.", blurred)
	return f, nil
}

// chargedAs asks whether HybridLLM's rows are charged as its own paper does.
func chargedAs(b *Book) (Finding, error) {
	f := Finding{
		Title:   "HybridLLM, a router, is charged as a cascade",
		Method:  "A router decides before any model answers, and pays one of the two: its cost can never exceed the master's, and its deferrals are those of saved = (1 − Def)·saved(None). Counted are the rows that defer something and were printed finely enough to tell.",
		Columns: []string{"Charged as", "Rows whose deferrals are whole", "of", "Rows saving less than 0"},
	}
	all, err := draws(b)
	if err != nil {
		return f, err
	}
	rows, asCascade, asRouter := 0, 0, 0
	var negative []string
	for _, d := range all {
		r, ok := d.group.Row(HybridLLM)
		if !ok {
			continue
		}
		if r.Saved.Value < 0 {
			negative = append(negative, fmt.Sprintf("%s %s: %s", d.group.Table, d.group.Dataset, r.Saved.Text))
		}
		c, o := cascade(d.likely(), r.Saved, d.n), router(d.likely(), r.Saved, d.n)
		if !c.tells() || !o.tells() || math.Round(c.records) == 0 {
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
