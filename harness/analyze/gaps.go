package analyze

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/spec"
)

// Gap is a cascade's dataset of which more records lack an answer than the
// study allows.
type Gap struct {
	Cascade, Dataset string
	Records, Lost    int
	Missing          string // by model and cause
}

// Gaps returns the gaps of a study's stored answers, by the rule by which its
// results are incomplete.
func Gaps(ctx context.Context, in Input) ([]Gap, error) {
	cols, err := columns(ctx, in)
	if err != nil {
		return nil, err
	}
	var out []Gap
	for i := range in.Study.Cascades {
		c := &in.Study.Cascades[i]
		for _, d := range c.Datasets {
			if g := gap(c, d, cols); float64(g.Lost) > in.Study.Collect.MaxMissing*float64(g.Records) {
				out = append(out, g)
			}
		}
	}
	return out, nil
}

func gap(c *spec.Cascade, dataset string, cols table) Gap {
	g := Gap{Cascade: c.Name, Dataset: dataset}
	causes := map[string]int{}
	lost := map[int]bool{}
	for _, m := range c.Models {
		col := cols[columnID{m, dataset}]
		g.Records = len(col.answers)
		for i, a := range col.answers {
			if a == nil {
				lost[i] = true
				causes[m+" "+col.causes[i]]++
			}
		}
	}
	g.Lost = len(lost)
	var parts []string
	for what, n := range causes {
		parts = append(parts, fmt.Sprintf("%s ×%d", what, n))
	}
	slices.Sort(parts)
	g.Missing = strings.Join(parts, "; ")
	return g
}
