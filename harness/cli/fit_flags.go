package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"infnet/harness/policy/guarantee"
)

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
	case c.Delta != nil && c.Guarantee != string(guarantee.LearnThenTest):
		return fmt.Errorf("--delta does nothing without --guarantee %s: add it, or leave --delta out",
			guarantee.LearnThenTest)
	case c.Delta != nil && !(*c.Delta > 0 && *c.Delta < 1):
		return fmt.Errorf("--delta %v: want a probability above 0 and below 1", *c.Delta)
	case c.MaxCluster < 0:
		return fmt.Errorf("--max-cluster %d: want the most rows that a group can have, 1 or more",
			c.MaxCluster)
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

// guarantee reads the flags of the guarantee; nil is none.
func (c *fitCommand) guarantee() (*guarantee.Terms, error) {
	if c.Guarantee == "" {
		return nil, nil
	}
	g := guarantee.Terms{Margin: c.Margin, MaxCluster: c.MaxCluster}
	if err := g.Method.UnmarshalText([]byte(c.Guarantee)); err != nil {
		return nil, fmt.Errorf("--guarantee: %w", err)
	}
	if g.Method == guarantee.LearnThenTest {
		g.Delta = guarantee.DefaultDelta
		if c.Delta != nil {
			g.Delta = *c.Delta
		}
	}
	return &g, nil
}
