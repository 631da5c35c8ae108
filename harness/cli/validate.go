package cli

import (
	"errors"
	"fmt"
	"strconv"

	"infnet/harness/spec"
)

// Validate refuses flags whose values make no sense whatever the spec says.
// The parser calls it.
func (f *askedFlags) Validate() error {
	return errors.Join(checkJobs(f.Jobs), f.screenFlags.Validate())
}

// Validate refuses the same as for the other commands.
func (c *verifyCommand) Validate() error {
	return errors.Join(checkJobs(c.Jobs), c.screenFlags.Validate())
}

// Validate refuses a number of prompts below none.
func (c *planCommand) Validate() error {
	if c.Show < 0 {
		return fmt.Errorf("--show %d: want a number of prompts from 0", c.Show)
	}
	return c.askedFlags.Validate()
}

// checkJobs checks a number of threads.
func checkJobs(n int) error {
	if n < 0 {
		return fmt.Errorf("--jobs %d: want 1 or more, or 0 for all CPU threads", n)
	}
	return nil
}

// rowLimit is a number of rows that a flag gives over the spec's; 0 = the flag is not there.
type rowLimit int

// UnmarshalText reads a number that a study may have.
func (r *rowLimit) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < spec.FewestRows {
		return fmt.Errorf("%q: %d rows or more are possible; leave it out for what the study says", text, spec.FewestRows)
	}
	*r = rowLimit(n)
	return nil
}

// Validate refuses a heartbeat that goes backwards.
func (f screenFlags) Validate() error {
	if f.Heartbeat < 0 {
		return fmt.Errorf("--heartbeat %v: want a time above 0, or 0 for none", f.Heartbeat)
	}
	return nil
}
