package analyze

import (
	"context"
	"fmt"
	"slices"

	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// domain are the records that policies are fitted on and used on: those of a dataset, or with one value of a column.
type domain struct {
	name string
	*records.Records
}

// transfer fills in what policies fitted on each domain come to on every one.
func (o *Output) transfer(ctx context.Context, in Input, used [][]*records.Records) error {
	t := in.Study.Transfer
	if t == nil {
		return nil
	}
	for _, list := range used {
		var byDataset []domain
		for _, r := range list {
			if t.By == spec.ByDataset {
				if !free(r) {
					byDataset = append(byDataset, domain{r.Dataset.Name, r})
				}
				continue
			}
			domains, left, err := byColumn(r)
			if err == nil && left > 0 {
				o.Result.Warnings = append(o.Result.Warnings, fmt.Sprintf("cascade %s on dataset %s: %d of %d values of the "+
					"column %q take no part in the transfer: fewer than %d records of the fit or of the test part have them, or "+
					"the master costs nothing there", r.Cascade.Name, r.Dataset.Name, left, left+len(domains), t.By,
					spec.LeastDomain))
			}
			if err == nil {
				err = o.between(ctx, in, r.Dataset.Name, domains)
			}
			if err != nil {
				return fmt.Errorf("transfer by %s, cascade %s on dataset %s: %w", t.By, r.Cascade.Name, r.Dataset.Name, err)
			}
		}
		if err := o.between(ctx, in, "", byDataset); err != nil {
			return fmt.Errorf("transfer by dataset: %w", err)
		}
	}
	return nil
}

// byColumn divides records by a column's values, in their order. left is how many values have too few records.
func byColumn(r *records.Records) (out []domain, left int, err error) {
	counts := map[string][2]int{}
	for k, part := range [][]int{r.Fit, r.Test} {
		for _, i := range part {
			n := counts[r.Set.Examples[i].Domain]
			n[k]++
			counts[r.Set.Examples[i].Domain] = n
		}
	}
	var names []string
	for name, n := range counts {
		if min(n[0], n[1]) >= spec.LeastDomain {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		only := func(part []int) []int {
			return slices.DeleteFunc(slices.Clone(part), func(i int) bool { return r.Set.Examples[i].Domain != name })
		}
		d, err := records.Vary(r, records.Variation{Study: r.Study,
			Keep: func(fit, test []int) ([]int, []int) { return only(fit), only(test) }})
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		if !free(d) {
			out = append(out, domain{name, d})
		}
	}
	return out, len(counts) - len(out), nil
}

// between fits the policies on each domain, and measures them on every one.
func (o *Output) between(ctx context.Context, in Input, dataset string, domains []domain) error {
	if len(domains) < 2 {
		return nil
	}
	out := result.Transferred{By: in.Study.Transfer.By, Cascade: domains[0].Cascade.Name, Dataset: dataset}
	var all []*records.Records
	var on []*measurer
	for _, d := range domains {
		out.Domains = append(out.Domains, result.Domain{Name: d.name, Fit: len(d.Fit), Test: len(d.Test)})
		s, err := withoutMetrics(d.Records)
		if err != nil {
			return err
		}
		all, on = append(all, d.Records), append(on, s)
	}
	fitted := make([][]trial, len(domains))
	cells := 0
	for k, d := range domains {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, trained, err := trials(ctx, in, d.Records, all...)
		if err != nil {
			return fmt.Errorf("fitted on %s: %w", d.name, err)
		}
		fitted[k], o.Trained = list, append(o.Trained, trained...)
		for _, t := range list {
			for _, u := range all {
				if t.carries(u) {
					cells++
				}
			}
		}
	}
	for k, list := range fitted {
		for j := range domains {
			s, err := on[j].readAs(domains[k].Records)
			if err != nil {
				return err
			}
			together := s.resamples.Together(cells)
			for _, t := range list {
				if !t.carries(all[j]) {
					continue
				}
				got, err := s.use(t, j, together)
				if err != nil {
					return fmt.Errorf("fitted on %s, used on %s: %w", domains[k].name, domains[j].name, err)
				}
				out.Cells = append(out.Cells, result.Cell{FittedOn: domains[k].name, UsedOn: domains[j].name, Realised: got})
			}
		}
	}
	var policies []string
	for _, c := range out.Cells {
		policies = append(policies, c.Policy)
	}
	slices.SortStableFunc(out.Cells, func(a, b result.Cell) int {
		return slices.Index(policies, a.Policy) - slices.Index(policies, b.Policy)
	})
	o.Result.Transfer = append(o.Result.Transfer, out)
	return nil
}

// carries reports whether the policy can be used on records: one that looks at classes needs the same ones.
func (t trial) carries(u *records.Records) bool {
	looks := t.fitted != nil && len(t.fitted.Policy.Thresholds) > 1 && t.fitted.Series == nil ||
		t.learned != nil && t.learned.learning().Answers
	return !looks || slices.Equal(t.of.Dataset.Labels, u.Dataset.Labels)
}

// readAs measures the same test part, with the confidences that the scales and calibrators of other records give.
func (s *measurer) readAs(fitted *records.Records) (*measurer, error) {
	r, err := records.ReadAs(s.r, fitted)
	out := *s
	out.r = r
	return &out, err
}
