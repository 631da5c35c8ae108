package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"infnet/harness/fault"
	"infnet/harness/policy"
	"infnet/harness/seed"
	"infnet/harness/store"
)

// defaultDelta is the probability that a promise is broken, unless --delta says
// otherwise.
const defaultDelta = 0.05

// checkFlags refuses flags that would lose a file, or would be ignored.
func (c *fitCommand) checkFlags() error {
	files := []string{c.File, c.Out, c.Frontier}
	for i, a := range files {
		for _, b := range files[i+1:] {
			if a != "" && b != "" && sameFile(a, b) {
				return fmt.Errorf("%s and %s are the same file, and one would overwrite the other: name another", a, b)
			}
		}
	}
	switch {
	case c.Guarantee == "" && c.Margin != 0:
		return errors.New("--margin does nothing without --guarantee: add --guarantee ltt, or leave it out")
	case c.Delta != nil && c.Guarantee != string(policy.LearnThenTest):
		return fmt.Errorf("--delta does nothing without --guarantee %s: add it, or leave --delta out", policy.LearnThenTest)
	case c.Delta != nil && !(*c.Delta > 0 && *c.Delta < 1):
		return fmt.Errorf("--delta %v: want a probability above 0 and below 1", *c.Delta)
	case c.MaxCluster < 0:
		return fmt.Errorf("--max-cluster %d: want a number of rows, or 0 for the largest group of the half that proposes", c.MaxCluster)
	case c.MaxCluster > 0 && c.Guarantee == "":
		return errors.New("--max-cluster does nothing without --guarantee: add it, or leave --max-cluster out")
	case c.Out == "-" || c.Frontier == "-":
		return errors.New("- is no file: standard output is for people here; name a file, such as thresholds.toml")
	}
	return nil
}

// sameFile reports whether two paths name one file, there or to be.
func sameFile(a, b string) bool {
	if x, err := os.Stat(a); err == nil {
		if y, err := os.Stat(b); err == nil && os.SameFile(x, y) {
			return true
		}
	}
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}

// certify adds the policy that carries the promise asked for, if any, behind
// the others: half of the fit part proposes, the other half tests.
func (c *fitCommand) certify(l *logs, fit []int, o policy.Options, fitted []named) ([]named, error) {
	if c.Guarantee == "" {
		return fitted, nil
	}
	if c.MaxCluster > 0 && l.clusters(fit) == nil {
		return nil, errors.New("--max-cluster without groups: name their column with --group, or leave it out")
	}
	g := policy.Guarantee{Margin: c.Margin, MaxCluster: c.MaxCluster}
	if err := g.Method.UnmarshalText([]byte(c.Guarantee)); err != nil {
		return nil, fmt.Errorf("--guarantee: %w", err)
	}
	if g.Method == policy.LearnThenTest {
		g.Delta = defaultDelta
		if c.Delta != nil {
			g.Delta = *c.Delta
		}
	}
	if err := g.Check(o); err != nil {
		return nil, err
	}
	h := c.halves(l, fit)
	certify := policy.CertifySingle
	if c.Class != "" {
		certify = policy.CertifyMulti
	}
	promised, err := certify(l.pick(fit), h, o, g)
	if err != nil {
		return nil, err
	}
	name := fitted[len(fitted)-1].Name + ", certified"
	if !promised.Certified {
		name = fitted[len(fitted)-1].Name + ", not certified"
	}
	return append(fitted, named{Name: name, Policy: promised.Policy, Promise: &promised}), nil
}

// halves divides the fit part at random, whole groups on one side.
func (c *fitCommand) halves(l *logs, fit []int) policy.Halves {
	h := policy.Halves{Cluster: l.clusters(fit)}
	for k, i := range fit {
		draw := seed.Uniform(c.Seed, "guarantee", "fit", l.ids[i])
		if g := l.group(i); g != "" {
			draw = seed.Uniform(c.Seed, "guarantee", "fit", "group", g)
		}
		if draw < 0.5 {
			h.Test = append(h.Test, k)
		} else {
			h.Propose = append(h.Propose, k)
		}
	}
	h.Shuffle(seed.Stream(c.Seed, "guarantee", "fit"))
	return h
}

// promiseWords says a guarantee in words.
func promiseWords(g *policy.Guaranteed) string {
	if !g.Certified {
		return fmt.Sprintf("no promise: no candidate passed on the %s that test it; thresholds of least error", g.Sample())
	}
	what := fmt.Sprintf("true error ≤ %.4g", g.Level)
	if g.Reference != "" {
		what = fmt.Sprintf("true error ≤ that of the %s + %.4g", g.Reference, g.Level)
	}
	if g.Delta > 0 {
		return fmt.Sprintf("%s with probability %.4g; %d rows proposed, %s tested", what, 1-g.Delta, g.Proposed, g.Sample())
	}
	return fmt.Sprintf("%s on average; %d rows proposed, %s tested", what, g.Proposed, g.Sample())
}

// frontier writes all Pareto-optimal points of the fit part as CSV.
func (c *fitCommand) frontier(s *streams, l *logs, r policy.Records, o policy.Options) error {
	front := policy.FrontierSingle
	if c.Class != "" {
		front = policy.FrontierMulti
	}
	f, err := front(r, o)
	if err != nil {
		return fault.Usage.Wrap(err)
	}
	n := f.Len()
	point := f.Point
	if !f.Whole() {
		n, point = f.HullLen(), f.HullPoint
	}
	err = store.WriteTo(c.Frontier, func(w io.Writer) error {
		out := csv.NewWriter(w)
		head := []string{"errors", "deferred", "shadow_price", "on_hull"}
		if c.Class == "" {
			head = append(head, "theta")
		}
		for _, class := range l.classes {
			head = append(head, "theta_"+class)
		}
		if err := out.Write(head); err != nil {
			return err
		}
		for i := range n {
			p := point(i)
			row := []string{p.Error.String(), strconv.Itoa(p.Deferred), number(p.Price), strconv.FormatBool(p.Hull)}
			for _, theta := range p.Thresholds {
				row = append(row, number(theta))
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\n%s written: %d points of the frontier\n", c.Frontier, n)
	return nil
}

// number writes a float as its shortest decimal.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
