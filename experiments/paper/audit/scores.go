package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/published"
)

// samePolicy looks for rows that defer nothing, and so are the None row, with
// other scores.
func samePolicy(b *published.Book) (Finding, error) {
	f := Finding{
		Title: "The same decisions with different scores",
		Method: "A row that saves what the None row saves defers nothing: its answers are the student's, and so must be " +
			"its scores. To the printed digits.",
		Columns: []string{"Table", "Dataset", "Pair", "Saved %", "None Deferred", "Policy", "Scores"},
	}
	same := 0
	for _, g := range b.Groups() {
		none, ok := g.Row(published.None)
		if !ok {
			continue
		}
		for _, r := range g.Rows {
			if r.Policy == published.None || r.Saved.Value != none.Saved.Value {
				continue
			}
			same++
			if r.Scores[0].Value != none.Scores[0].Value || r.Scores[1].Value != none.Scores[1].Value {
				f.Rows = append(f.Rows, append(where(g), none.Saved.Text, scores(none), r.Policy, scores(r)))
			}
		}
	}
	f.Found = of(len(f.Rows), same, "rows that defer nothing")
	return f, nil
}

// sameModel compares what is printed for one model alone on one dataset, as
// the student or as the master, in all tables.
func sameModel(b *published.Book) (Finding, error) {
	f := Finding{
		Title:   "One model on one dataset with different scores",
		Method:  "None Deferred is the student alone and All Deferred the master alone, on the same records in every table.",
		Columns: []string{"Dataset", "Model", "Scores", "In"},
	}
	type key struct{ dataset, model string }
	var keys []key
	printed := map[key][]string{} // distinct scores, in order
	places := map[key]map[string][]string{}
	times := map[key]int{}
	for _, g := range b.Groups() {
		for _, alone := range []struct{ policy, model string }{{published.None, g.Student}, {published.All, g.Master}} {
			r, ok := g.Row(alone.policy)
			if !ok {
				continue
			}
			k := key{g.Dataset, alone.model}
			if !slices.Contains(keys, k) {
				keys, places[k] = append(keys, k), map[string][]string{}
			}
			if s := scores(r); !slices.Contains(printed[k], s) {
				printed[k] = append(printed[k], s)
			}
			places[k][scores(r)] = append(places[k][scores(r)], g.Table)
			times[k]++
		}
	}
	slices.SortFunc(keys, func(x, y key) int { return strings.Compare(x.dataset+"\n"+x.model, y.dataset+"\n"+y.model) })
	several, differ := 0, 0
	for _, k := range keys {
		if times[k] > 1 {
			several++
		}
		if len(printed[k]) < 2 {
			continue
		}
		differ++
		slices.Sort(printed[k])
		for _, s := range printed[k] {
			f.Rows = append(f.Rows, []string{k.dataset, k.model, s, strings.Join(places[k][s], ", ")})
		}
	}
	f.Found = of(differ, several, "models on a dataset that are in several tables")
	return f, nil
}

// outsideModels looks for random rows that score worse, or better, than both
// models.
func outsideModels(b *published.Book) (Finding, error) {
	f := Finding{
		Title: "Random rows outside the two models",
		Method: "A coin mixes the answers of two models, so that its expected accuracy or mean score lies between " +
			"theirs. One draw can fall outside by chance, by less the more the models agree; and F1, being no mean over " +
			"records, need not lie between. A score counts here where it is outside by more than rounding.",
		Columns: []string{"Table", "Dataset", "Pair", "Metric", "None Deferred", "All Deferred", "Random", "Is"},
	}
	cells := 0
	for _, g := range b.Groups() {
		none, a := g.Row(published.None)
		all, c := g.Row(published.All)
		random, d := g.Row(published.Random)
		if !a || !c || !d {
			continue
		}
		for m, metric := range b.Dataset(g.Dataset).Metrics {
			cells++
			low := min(none.Scores[m].Value, all.Scores[m].Value)
			high := max(none.Scores[m].Value, all.Scores[m].Value)
			is := ""
			switch v := random.Scores[m]; {
			case v.Value < low:
				is = "below both"
			case v.Value > high:
				is = "above both"
			default:
				continue
			}
			f.Rows = append(f.Rows, append(where(g), metric, none.Scores[m].Text, all.Scores[m].Text, random.Scores[m].Text, is))
		}
	}
	f.Found = of(len(f.Rows), cells, "scores")
	return f, nil
}

// missingRows looks for rows and tables that are not there.
func missingRows(b *published.Book) (Finding, error) {
	f := Finding{
		Title:   "Rows and tables that are not there",
		Method:  "Every group should have six policies, and tables of one numbering no gap.",
		Columns: []string{"Where", "Missing"},
	}
	groups := b.Groups()
	lacking := 0
	for _, g := range groups {
		var missing []string
		for _, p := range published.Policies() {
			if _, ok := g.Row(p); !ok {
				missing = append(missing, p)
			}
		}
		if len(missing) > 0 {
			lacking++
			f.Rows = append(f.Rows, []string{strings.Join(where(g), ", "), strings.Join(missing, ", ")})
		}
	}
	last := 0
	for _, t := range b.Tables {
		var n int
		if _, err := fmt.Sscanf(t.Label, "tab:add_res%d", &n); err == nil {
			for k := last + 1; k < n; k++ {
				f.Rows = append(f.Rows, []string{"tables", fmt.Sprintf("tab:add_res%d", k)})
			}
			last = n
		}
	}
	f.Found = of(lacking, len(groups), "groups lack rows")
	return f, nil
}

// smallP looks for p-values that the stated number of permutations cannot
// give.
func smallP(b *published.Book) (Finding, error) {
	f := Finding{
		Title:   "p-values below the smallest possible one",
		Columns: []string{"Dataset", "Pair", "Extra information J", "p", "Smallest possible"},
	}
	t, ok := sufficiency(b)
	permutations, said := b.Stated("permutations")
	if !ok || !said {
		return f, fmt.Errorf("statements.csv names no number of permutations, or there is no %s", published.Sufficiency)
	}
	smallest := 1 / (permutations + 1)
	for _, x := range t.Tests {
		if x.P.Value+x.P.Half() < smallest {
			f.Rows = append(f.Rows, []string{x.Dataset, x.Student + " / " + x.Master, x.Extra, x.P.Text, decimals(smallest, 4)})
		}
	}
	f.Found = of(len(f.Rows), len(t.Tests), "p-values")
	f.Method = fmt.Sprintf("The stated p = (1 + #{T^p ≥ T_obs})/(T + 1) with T = %g permutations is a multiple of "+
		"1/%g, and never below it; nor is a mean of such values. It could never reach the level 0.05 either: that takes "+
		"19 permutations.", permutations, permutations+1)
	return f, nil
}

// differences recomputes ΔMSE.
func differences(b *published.Book) (Finding, error) {
	f := Finding{
		Title:   "ΔMSE that is not the difference of its two errors",
		Columns: []string{"Dataset", "Pair", "Extra information J", "MSE β", "MSE β+J", "ΔMSE printed", "Their difference"},
	}
	t, ok := sufficiency(b)
	if !ok {
		return f, fmt.Errorf("there is no %s", published.Sufficiency)
	}
	cut := 0
	for _, x := range t.Tests {
		difference := x.Null.Value - x.Full.Value
		off := math.Abs(difference - x.Delta.Value)
		rounding := x.Null.Half() + x.Full.Half()
		switch {
		case off > rounding+x.Delta.Unit+1e-9:
			f.Rows = append(f.Rows, []string{x.Dataset, x.Student + " / " + x.Master, x.Extra, x.Null.Text, x.Full.Text,
				x.Delta.Text, decimals(difference, 4)})
		case off > rounding+x.Delta.Half()+1e-9:
			cut++
		}
	}
	f.Found = of(len(f.Rows), len(t.Tests), "differences")
	f.Method = fmt.Sprintf("Within the rounding of the three numbers, and one unit of the last digit of ΔMSE: %s, cut "+
		"off instead of rounded.", counted(cut, "more is within that unit only", "more are within that unit only"))
	return f, nil
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func sufficiency(b *published.Book) (*published.Printed, bool) {
	t, err := b.Table(published.Sufficiency)
	return t, err == nil
}
