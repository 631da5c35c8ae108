package published

import (
	"fmt"
	"strconv"
)

// Finding is what one check of the printed numbers found.
type Finding struct {
	Title   string
	Method  string // what was computed, and what it cannot show
	Found   string // how much of how much
	Columns []string
	Rows    [][]string
}

// Audit makes every check of the printed numbers, each from the numbers alone.
func Audit(b *Book) ([]Finding, error) {
	var out []Finding
	for _, check := range []func(*Book) (Finding, error){
		randomRows, misprints, wholeDeferrals, chargedAs, samePolicy, sameModel, outsideModels, beyondWork,
		smallP, differences, missingRows, statements,
	} {
		f, err := check(b)
		if err != nil {
			return nil, fmt.Errorf("audit of the published tables: %w", err)
		}
		out = append(out, f)
	}
	return out, nil
}

// groups lists the groups of all tables, in their order.
func (b *Book) groups() []*Group {
	var out []*Group
	for i := range b.Tables {
		for j := range b.Tables[i].Groups {
			out = append(out, &b.Tables[i].Groups[j])
		}
	}
	return out
}

// where names a group in a finding's row: table, dataset, pair.
func (g *Group) where() []string {
	return []string{g.Table, g.Dataset, g.Student + " / " + g.Master}
}

func scores(r Row) string { return r.Scores[0].Text + " / " + r.Scores[1].Text }

func decimals(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }

// of counts: "6 of 40 rows".
func of(found, all int, what string) string { return fmt.Sprintf("%d of %d %s", found, all, what) }
