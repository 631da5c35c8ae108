package cli

import "fmt"

// Validate refuses flags whose values make no sense whatever the spec says.
// The parser calls it.
func (f *studyFlags) Validate() error {
	if f.Jobs < 0 {
		return fmt.Errorf("--jobs %d: want 1 or more, or 0 for all CPU threads", f.Jobs)
	}
	return f.screenFlags.Validate()
}

// Validate refuses a heartbeat that goes backwards.
func (f screenFlags) Validate() error {
	if f.Heartbeat < 0 {
		return fmt.Errorf("--heartbeat %v: want a time above 0, or 0 for none", f.Heartbeat)
	}
	return nil
}
