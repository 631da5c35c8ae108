// Package audit checks the numbers printed in the paper's tables by arithmetic
// alone: whether they fit each other, the protocol that the paper describes, and
// what counting operations allows. It owns the checks and the page of their
// findings, AUDIT.md. It refuses to say which of two numbers is wrong, or why.
//
// Its opinion: a finding is computed from the data files, never typed in.
package audit

import (
	"fmt"
	"strconv"

	"infnet/harness/published"
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
func Audit(b *published.Book) ([]Finding, error) {
	var out []Finding
	for _, check := range []func(*published.Book) (Finding, error){
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

// where names a group in a finding's row: table, dataset, pair.
func where(g *published.Group) []string {
	return []string{g.Table, g.Dataset, g.Student + " / " + g.Master}
}

func scores(r published.Row) string { return r.Scores[0].Text + " / " + r.Scores[1].Text }

func decimals(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }

// of counts: "6 of 40 rows".
func of(found, all int, what string) string { return fmt.Sprintf("%d of %d %s", found, all, what) }
