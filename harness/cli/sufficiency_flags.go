package cli

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"infnet/harness/spec"
	"infnet/sufficiency"
	"infnet/sufficiency/gbdt"
)

// options reads the flags that say how to test.
func (c *sufficiencyCommand) options() (sufficiency.Options, error) {
	o := sufficiency.Options{
		Seed: c.Seed, Name: "file", Folds: sufficiency.Folds, Splits: sufficiency.Splits, Method: c.Method,
		Learner: gbdt.Options{Learner: c.Learner, Trees: sufficiency.Trees, Depth: sufficiency.Depth},
		Alpha:   c.Alpha, Level: 0.95, Threads: c.Jobs,
	}
	if c.Jobs == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if err := spec.CheckFlags(&c.Test); err != nil {
		return o, err
	}
	if o.Permutations = c.Permutations; c.Jobs < 0 {
		return o, fmt.Errorf("--jobs %d: want 0 or more", c.Jobs)
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

// extra reports whether a column is part of the extra information.
func (c *sufficiencyCommand) extra(column string) bool {
	return slices.Contains(c.Extra, column) ||
		slices.ContainsFunc(c.ExtraPrefix, func(prefix string) bool { return strings.HasPrefix(column, prefix) })
}
