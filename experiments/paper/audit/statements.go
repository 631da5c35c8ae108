package audit

import (
	"fmt"
	"math"

	"infnet/harness/published"
)

// statements compares the numbers of the text with those of the tables.
func statements(b *published.Book) (Finding, error) {
	f := Finding{
		Title:   "What the text says, compared with the tables",
		Method:  "Numbers of the text, and the same from the tables and from what the authors' program does.",
		Columns: []string{"Place", "What", "Text", "Tables or program", "Agree"},
	}
	differ := 0
	for _, s := range b.Statements {
		what, value, agree, err := compare(b, s)
		if err != nil {
			return f, fmt.Errorf("statements.csv: %s in %s: %w", s.Quantity, s.Place, err)
		}
		if what == "" {
			continue // another check uses it
		}
		word := "yes"
		if !agree {
			word, differ = "no", differ+1
		}
		f.Rows = append(f.Rows, []string{s.Place, what, s.Value, value, word})
	}
	f.Found = of(differ, len(f.Rows), "statements differ")
	return f, nil
}

// compare computes a quantity that the text states: what it is, its value, and
// whether the text agrees. what is empty where there is nothing to compute,
// because the statement serves another check (smallP reads "permutations").
func compare(b *published.Book, s published.Statement) (what, value string, agree bool, err error) {
	var said published.Number
	if s.Quantity != "direction" {
		if said, err = published.Parse(s.Value); err != nil {
			return "", "", false, err
		}
	}
	near := func(v float64) bool { return math.Abs(v-said.Value) <= said.Half()+1e-9 }
	switch s.Quantity {
	case "datasets":
		n := measured(b)
		return "number of datasets", fmt.Sprint(n), near(float64(n)), nil
	case "direction":
		d := b.Dataset(s.Dataset)
		if d == nil {
			return "", "", false, fmt.Errorf("no dataset %q", s.Dataset)
		}
		return "direction of the translation on " + d.Name, d.Direction, d.Direction == s.Value, nil
	case "limit":
		for _, d := range b.Datasets {
			if !near(float64(d.Limit)) {
				return "records of every dataset", fmt.Sprintf("%d of %s", d.Limit, d.Name), false, nil
			}
		}
		return "records of every dataset", s.Value, true, nil
	case "random":
		all, err := b.Draws()
		if err != nil || len(all) == 0 {
			return "", "", false, err
		}
		mean, chance := 0.0, 0.0
		for _, d := range all {
			mean += float64(d.Deferred) / float64(d.Records) / float64(len(all))
			chance = max(chance, 1.96*math.Sqrt(0.25/float64(d.Records)))
		}
		return "share deferred by Random", decimals(mean, 4), math.Abs(mean-said.Value) < chance, nil
	case "most-saved":
		most := math.Inf(-1)
		for _, g := range b.Groups() {
			if r, ok := g.Row(published.Ours); ok {
				most = max(most, r.Saved.Value)
			}
		}
		return "largest saving of Ours", decimals(most, 2), math.Floor(most) == said.Value, nil
	case "permutations":
		return "", "", true, nil
	}
	return compareGroup(b, s, said)
}

// compareGroup is compare for a statement about one group of a table.
func compareGroup(b *published.Book, s published.Statement,
	said published.Number) (what, value string, agree bool, err error) {
	t, err := b.Table(s.Table)
	if err != nil {
		return "", "", false, err
	}
	for i := range t.Groups {
		g := &t.Groups[i]
		none, a := g.Row(published.None)
		all, c := g.Row(published.All)
		ours, d := g.Row(published.Ours)
		if g.Dataset != s.Dataset || !a || !c || !d {
			continue
		}
		where := fmt.Sprintf(" on %s in %s", g.Dataset, t.Label)
		switch s.Quantity {
		case "saved":
			rounded := math.Abs(ours.Saved.Value-said.Value) <= said.Half()+1e-9
			cut := ours.Saved.Value >= said.Value && ours.Saved.Value < said.Value+said.Unit
			return "saving of Ours" + where, ours.Saved.Text, rounded || cut, nil
		case "drop":
			drop := 100 * (all.Scores[0].Value - ours.Scores[0].Value)
			return "points that Ours loses against All" +
				where, decimals(drop, 0), math.Abs(drop-said.Value) <= said.Half()+1e-9, nil
		case "not-deferred":
			share := none.Saved.Value - ours.Saved.Value
			return "share in percent that Ours defers" + where, decimals(share, 2), share == said.Value, nil
		}
		return "", "", false, fmt.Errorf("unknown quantity %q", s.Quantity)
	}
	return "", "", false, fmt.Errorf("%s has no dataset %q with the rows None, All and Ours", s.Table, s.Dataset)
}

// measured is the number of datasets in the tables.
func measured(b *published.Book) int {
	seen := map[string]bool{}
	for _, g := range b.Groups() {
		seen[g.Dataset] = true
	}
	return len(seen)
}
