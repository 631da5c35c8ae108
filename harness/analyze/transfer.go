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
	r    *records.Records
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
	counts := map[string]*[2]int{}
	var names []string
	for k, part := range [][]int{r.Fit, r.Test} {
		for _, i := range part {
			name := r.Set.Examples[i].Domain
			if counts[name] == nil {
				counts[name], names = &[2]int{}, append(names, name)
			}
			counts[name][k]++
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if n := counts[name]; min(n[0], n[1]) < spec.LeastDomain {
			continue
		}
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
	out := result.Transferred{By: in.Study.Transfer.By, Cascade: domains[0].r.Cascade.Name, Dataset: dataset}
	var all []*records.Records
	var on []*measurer
	for _, d := range domains {
		out.Domains = append(out.Domains, result.Domain{Name: d.name, Fit: len(d.r.Fit), Test: len(d.r.Test)})
		s, err := withoutMetrics(d.r)
		if err != nil {
			return err
		}
		all, on = append(all, d.r), append(on, s)
	}
	type cell struct {
		trial trial
		k, j  int // fitted on domain k, used on j
	}
	var cells []cell
	for k, d := range domains {
		if err := ctx.Err(); err != nil {
			return err
		}
		list, err := trials(ctx, in, d.r, all...)
		if err != nil {
			return fmt.Errorf("fitted on %s: %w", d.name, err)
		}
		for j, u := range all {
			for _, t := range list {
				// one that looks at classes needs the same ones
				looks := t.fitted != nil && !t.fitted.isSingle() && t.fitted.Series == nil ||
					t.learned != nil && t.learned.learning.Answers
				if !looks || slices.Equal(d.r.Dataset.Labels, u.Dataset.Labels) {
					cells = append(cells, cell{t, k, j})
				}
			}
		}
	}
	var err error
	s := &measurer{}
	for i, c := range cells {
		if i == 0 || c.k != cells[i-1].k || c.j != cells[i-1].j { // with the confidences that k's scales and calibrators give
			*s = *on[c.j]
			if s.r, err = records.ReadAs(all[c.j], all[c.k]); err != nil {
				return err
			}
		}
		got, err := s.use(c.trial, c.j, s.resamples.Together(len(cells)))
		if err != nil {
			return fmt.Errorf("fitted on %s, used on %s: %w", domains[c.k].name, domains[c.j].name, err)
		}
		out.Cells = append(out.Cells, result.Cell{FittedOn: domains[c.k].name, UsedOn: domains[c.j].name, Realised: got})
	}
	out.Cells = byPolicy(out.Cells, func(c result.Cell) string { return c.Policy })
	o.Result.Transfer = append(o.Result.Transfer, out)
	return nil
}
