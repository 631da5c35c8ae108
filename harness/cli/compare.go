package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"infnet/backends/engine"
	"infnet/harness/accept"
	"infnet/harness/compare"
	"infnet/harness/fault"
	"infnet/harness/nights"
	"infnet/harness/pipeline/folder"
	"infnet/harness/regular"
	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/reports/ci"
)

// compareCommand compares two runs.
type compareCommand struct {
	Old     string  `arg:"" help:"What to compare with: an accepted file, or a run's folder."`
	New     string  `arg:"" help:"The new run: its folder, or an accepted file."`
	Alpha   float64 `help:"Level of the tests: the probability that anything is called worse while nothing is." default:"0.05" placeholder:"P"`
	JSON    string  `help:"Write everything to this file as JSON." placeholder:"FILE"`
	History string  `help:"Append the night to this file if it is a new look, and divide the level over all looks." placeholder:"FILE"`
	Date    string  `help:"Day of the night; today in UTC if not given." placeholder:"2006-01-02"`
	Report  string  `help:"Folder for junit.xml and summary.md." placeholder:"DIR"`
}

// Run compares, prints, and fails where something is worse.
func (c *compareCommand) Run(_ context.Context, s *streams) error {
	if !(c.Alpha > 0 && c.Alpha < 1) {
		return fault.Usage.Wrap(fmt.Errorf("--alpha %v: want a number between 0 and 1, such as 0.05", c.Alpha))
	}
	c.Date = cmp.Or(c.Date, time.Now().UTC().Format(time.DateOnly))
	if err := checkDay(c.Date, time.Now()); err != nil {
		return err
	}
	old, err := accept.Open(c.Old)
	if err != nil {
		return err
	}
	found, place, failed := c.night(old)
	if found == nil {
		return failed
	}
	resume := func() {}
	if os.Getenv("GITHUB_ACTIONS") == "true" { // whose runner reads names of records as commands until the token
		token := rand.Text()
		fmt.Fprintln(s.out, "::stop-commands::"+token)
		resume = sync.OnceFunc(func() { fmt.Fprintln(s.out, "::"+token+"::") })
	}
	defer resume()
	prose(s.out, "%s", found.Summary)
	for _, line := range found.Head() {
		prose(s.out, "  %s", line)
	}
	for _, part := range found.Parts() {
		fmt.Fprintf(s.out, "\n%s\n", part.Title)
		for _, line := range part.Lines {
			prose(s.out, "  %s", line)
		}
	}
	if place != "" {
		prose(s.out, "\n%s", place)
	}
	resume()
	failed = errors.Join(failed, c.write(s.out, &ci.Night{Comparison: found, Date: c.Date, Place: place}))
	verdict := verdictOf(found)
	if failed != nil && found.Verdict == compare.Worse {
		fmt.Fprintln(s.err, "infnet:", failed) // a disk that is full does not hide what is worse
		return verdict
	}
	return cmp.Or(failed, verdict)
}

// night compares with the new run, as the night that it is in the history, where one is kept, and says where it is
// there. What cannot be written to the history leaves a comparison.
func (c *compareCommand) night(old *accept.Run) (found *compare.Comparison, place string, err error) {
	if c.absent(c.New) {
		return nothing(old, c.New), "No look: there are no results.", nil
	}
	now, err := accept.Open(c.New)
	if err != nil {
		return nil, "", err
	}
	if c.History == "" {
		found, err = compare.Runs(old, now, c.Alpha)
		return found, "", err
	}
	h, err := nights.Read(c.History)
	if err != nil {
		return nil, "", fault.Data.Wrap(err)
	}
	tonight := nights.Look{Study: now.Study, Date: c.Date, Accepted: compare.SideOf(old).Look,
		Inputs: compare.SideOf(now).Look, Alpha: c.Alpha}
	if old.Accepted == "" { // a run that may be another one every night: all of them share one level
		tonight.Inputs = accept.Sum([]byte(tonight.Accepted + tonight.Inputs)) // a look is at both
		tonight.Accepted = ""
	}
	look, before, err := h.Plan(tonight)
	switch {
	case errors.Is(err, nights.ErrHistory):
		return nil, "", fault.Data.Wrap(err)
	case err != nil:
		return nil, "", fault.Usage.Wrap(err)
	}
	if found, err = compare.Runs(old, now, look.Level); err != nil {
		return nil, "", err
	}
	if !slices.ContainsFunc(found.Quantities, func(q compare.Quantity) bool { return q.Tested }) {
		return found, "No look: there was nothing to test.", nil
	}
	if look.Verdict = string(found.Verdict); !before {
		if err := h.Append(look); err != nil {
			return found, "", fault.Store.Wrap(err)
		}
	}
	return found, fmt.Sprintf("Look %d at these records, tested at %.2g. The probability of ever alarming while no "+
		"night's answers are worse is at most %g.", look.Number, look.Level, look.Alpha), nil
}

// write writes what a CI and other programs read. What cannot be written keeps nothing else from being written.
func (c *compareCommand) write(w io.Writer, n *ci.Night) (failed error) {
	if c.JSON != "" {
		failed = writeJSON(c.JSON, n.Comparison)
	}
	if c.Report != "" {
		failed = errors.Join(failed, fault.Store.Wrap(errors.Join(
			store.WriteTo(filepath.Join(c.Report, ci.JUnitFile), func(w io.Writer) error { return ci.JUnit(w, n) }),
			store.WriteTo(filepath.Join(c.Report, ci.SummaryFile), func(w io.Writer) error { return ci.Summary(w, n) }))))
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		failed = errors.Join(failed, ci.Annotation(w, n))
	}
	if path := os.Getenv("GITHUB_STEP_SUMMARY"); path != "" {
		file, err := regular.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err == nil {
			err = errors.Join(ci.Summary(file, n), file.Close())
		}
		if err != nil {
			err = fmt.Errorf("append the summary to the file that GITHUB_STEP_SUMMARY names: %w", err)
		}
		failed = errors.Join(failed, fault.Store.Wrap(err))
	}
	return failed
}

// absent reports a folder to which no results came, because the run ended before there were any. Results of an
// earlier run may be there.
func (c *compareCommand) absent(dir string) bool {
	if _, yes := folder.Unfinished(dir); yes {
		return true
	}
	info, err := os.Stat(dir)
	if c.History == "" || err != nil || !info.IsDir() {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, result.ResultsFile))
	return errors.Is(err, fs.ErrNotExist)
}

// nothing is the comparison with a run that has no results.
func nothing(old *accept.Run, dir string) *compare.Comparison {
	why, _ := folder.Unfinished(dir)
	if why != "" {
		why = ": " + why
	}
	return &compare.Comparison{Study: old.Study, Old: compare.SideOf(old), New: compare.Side{Name: dir},
		Verdict: compare.Uncomparable, Incomplete: true,
		Summary: fmt.Sprintf("cannot be compared: %s has no results of its last run, which ended before there were any%s; "+
			"start what was down, and run it again", dir, why)}
}

// verdictOf turns a verdict into the error of its exit code.
func verdictOf(found *compare.Comparison) error {
	switch {
	case found.Verdict == compare.Worse:
		return fault.Worse.Wrap(errors.New(found.Summary))
	case found.Verdict == compare.Uncomparable && len(found.Quantities) > 0 && found.Incomplete:
		return fault.Incomplete.Wrap(fmt.Errorf("%s: more answers are missing than [collect] max_missing allows, so that "+
			"nothing is said about better or worse; collect what is missing, and compare again", found.Summary))
	case found.Verdict == compare.Uncomparable && found.Incomplete:
		return fault.Incomplete.Wrap(errors.New(found.Summary))
	case found.Verdict == compare.Uncomparable:
		return fault.Unrelated.Wrap(fmt.Errorf("%s: most of their test records are others", found.Summary))
	}
	return nil
}

// checkDay checks a day that --date gives. The latest is tomorrow in UTC, which is today further east: a day later than
// that is a mistake, and a history that ended with it would take no other night before it comes.
func checkDay(day string, now time.Time) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return fault.Usage.Wrap(fmt.Errorf("--date %q: want a day such as 2026-03-01", day))
	}
	if last := now.UTC().AddDate(0, 0, 1).Format(time.DateOnly); day > last {
		return fault.Usage.Wrap(fmt.Errorf("--date %s: this day is yet to come: %s is the latest by this machine's clock",
			day, last))
	}
	return nil
}

func writeJSON(path string, value any) error {
	return store.WriteTo(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(value)
	})
}

// acceptCommand writes the accepted run.
type acceptCommand struct {
	Run_    string `arg:"" name:"run" help:"The run's folder."`
	Out     string `help:"The file to write." default:"accepted.json" placeholder:"FILE"`
	Because string `help:"Why this run is accepted: a note for those who read the file." placeholder:"TEXT"`
	Date    string `help:"The day on which it is accepted, as 2006-01-02. Default: today." placeholder:"DAY"`
	Replace bool   `help:"Take the place of a run that was accepted before."`
}

// Run writes a run to a file that later runs are compared with. It refuses an incomplete run, and
// to replace an accepted run unless asked to, and says what would change.
func (c *acceptCommand) Run(_ context.Context, s *streams) error {
	day := cmp.Or(c.Date, time.Now().Format(time.DateOnly))
	if err := checkDay(day, time.Now()); err != nil {
		return err
	}
	if _, yes := folder.Unfinished(c.Run_); yes {
		return fault.Incomplete.Wrap(fmt.Errorf("the last run in %s ended before it had results, and those there are an "+
			"earlier run's: run the study again", c.Run_))
	}
	run, err := accept.Folder(c.Run_)
	if err != nil {
		return err
	}
	if err := run.Acceptable(); err != nil {
		return err
	}
	run.Accepted, run.Because = day, strings.Join(strings.Fields(c.Because), " ")
	if _, err := os.Stat(c.Out); err == nil && !c.Replace {
		return fault.Usage.Wrap(fmt.Errorf("%s is there already: --replace puts the new run in its place, and infnet "+
			"compare says what that changes", c.Out))
	}
	b, err := run.Encode()
	if err != nil {
		return err
	}
	if err := store.WriteFile(c.Out, b); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %s accepted on %s: %d bytes. Keep it in version control, and compare later runs with it:\n"+
		"  infnet compare %s %s\n", c.Out, c.Run_, day, len(b), engine.Quote(c.Out), engine.Quote(c.Run_))
	return nil
}
