package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
	"infnet/sufficiency/pcm"
)

// options reads the flags that say how to test.
func (c *sufficiencyCommand) options() (sufficiency.Options, error) {
	o := sufficiency.Options{
		Seed: c.Seed, Name: "file", Folds: c.Folds, Learner: gbdt.Options{Trees: sufficiency.Trees, Depth: sufficiency.Depth},
		Alpha: c.Alpha, Level: 0.95, Threads: c.Jobs,
	}
	if c.Jobs == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if err := o.Learner.Learner.UnmarshalText([]byte(c.Learner)); err != nil {
		return o, fmt.Errorf("--learner: %w", err)
	}
	if err := c.method(&o); err != nil {
		return o, err
	}
	for _, x := range []struct {
		flag  string
		value int
		least int
	}{{"folds", c.Folds, 2}, {"jobs", c.Jobs, 0}} {
		if x.value < x.least {
			return o, fmt.Errorf("--%s %d: want %d or more", x.flag, x.value, x.least)
		}
	}
	if c.Budget != nil && !(*c.Budget >= 0 && *c.Budget <= 1) {
		return o, fmt.Errorf("--budget %v: want a share in [0,1]", *c.Budget)
	}
	o.Budget = c.Budget
	if !(c.Alpha > 0 && c.Alpha < 1) {
		return o, fmt.Errorf("--alpha %v: want a level in (0,1)", c.Alpha)
	}
	if len(c.Extra) == 0 && len(c.ExtraPrefix) == 0 {
		return o, errors.New("no extra information to test: name columns with --extra or --extra-prefix")
	}
	return o, nil
}

// method reads the flags of the method; those of another are refused.
func (c *sufficiencyCommand) method(o *sufficiency.Options) error {
	if err := o.Method.UnmarshalText([]byte(c.Method)); err != nil {
		return fmt.Errorf("--method: %w", err)
	}
	o.Permutations, o.Splits = 199, pcm.DefaultSplits
	for _, x := range []struct {
		flag  string
		given *int
		least int
		to    *int
		of    sufficiency.Method
	}{
		{"splits", c.Splits, 1, &o.Splits, sufficiency.PCM},
		{"permutations", c.Permutations, 1, &o.Permutations, sufficiency.Plain},
		{"stop", c.Stop, 1, &o.Stop, sufficiency.Plain},
	} {
		switch {
		case x.given == nil:
		case o.Method != x.of:
			return fmt.Errorf("--%s: the method %s has none; leave it out, or add --method %s", x.flag, o.Method, x.of)
		case *x.given < x.least:
			return fmt.Errorf("--%s %d: want %d or more", x.flag, *x.given, x.least)
		default:
			*x.to = *x.given
		}
	}
	return nil
}

// extra reports whether a column is part of the extra information.
func (c *sufficiencyCommand) extra(column string) bool {
	return slices.Contains(c.Extra, column) ||
		slices.ContainsFunc(c.ExtraPrefix, func(prefix string) bool { return strings.HasPrefix(column, prefix) })
}
