package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// nightFlags say that a comparison is one night of many, and where a CI reads what it came to.
type nightFlags struct {
	History string `help:"Append the night to this file, and divide the level over all nights." placeholder:"FILE"`
	Date    string `help:"Day of the night; today in UTC if not given." placeholder:"2006-01-02"`
	Report  string `help:"Folder for junit.xml, summary.md, comparison.json and the figure of the trend." placeholder:"DIR"`
}

// nightly is a comparison that is under way as one of many.
type nightly struct {
	nightFlags
	history *nights.History // nil = none is kept
	tonight nights.Night
	look    nights.Look
	resume  string // GitHub Actions: the line after which its runner reads commands again
}

// begin reads the history and finds tonight's place in it. alpha is the level of the whole sequence.
func (f nightFlags) begin(old, now compare.Side, study string, alpha float64) (*nightly, error) {
	n := &nightly{nightFlags: f}
	n.Date = cmp.Or(f.Date, time.Now().UTC().Format(time.DateOnly))
	if err := checkDay(n.Date, time.Now()); err != nil {
		return nil, err
	}
	if f.History == "" {
		return n, nil
	}
	n.tonight = nights.Night{Study: study, Date: n.Date, Run: now.Hash, Accepted: old.Look, Since: old.Accepted,
		Inputs: now.Look, Alpha: alpha}
	if old.Accepted == "" { // a run that may be another one every night: all of them share one level
		n.tonight.Accepted = ""
		if now.Look != "" {
			n.tonight.Inputs = accept.Sum([]byte(old.Look + now.Look)) // a look is at both
		}
	}
	var err error
	if n.history, err = nights.Read(f.History); err != nil {
		return nil, fault.Data.Wrap(err)
	}
	if n.look, err = n.history.Plan(n.tonight); errors.Is(err, nights.ErrHistory) {
		return nil, fault.Data.Wrap(err)
	}
	return n, fault.Usage.Wrap(err)
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

// finish appends the night to the history, writes the reports and says where the night is in the history. What cannot
// be written keeps nothing else from being written.
func (n *nightly) finish(s *streams, c *compare.Comparison) (failed error) {
	night := &ci.Night{Comparison: c, Date: n.Date, Look: n.look, History: n.history}
	if n.history != nil {
		if failed = n.record(c); failed != nil {
			night.History, night.Look = nil, nights.Look{} // tonight has no place in it
		} else {
			fmt.Fprintf(s.out, "\n%s\n", fold(night.Place(), terminalWidth(s.out)))
		}
		if night.Look.Note != "" {
			fmt.Fprintf(s.out, "%s\n", fold("Note: "+night.Look.Note, terminalWidth(s.out)))
		}
	}
	if n.Report != "" {
		failed = errors.Join(failed, n.report(s.out, night))
	}
	n.loud(s.out)
	return errors.Join(failed, onGitHub(s.out, night))
}

// report writes the files for a CI, and names them.
func (n *nightly) report(w io.Writer, night *ci.Night) error {
	paths, err := ci.Write(n.Report, night, store.WriteFile)
	if err != nil {
		var failed *store.WriteError
		if errors.As(err, &failed) {
			failed.Hint = "make room there or allow writing, or name another folder with --report"
		}
		return fault.Store.Wrap(err)
	}
	fmt.Fprintf(w, "\nFor a CI, in %s:", n.Report)
	for _, path := range paths {
		fmt.Fprintf(w, " %s", filepath.Base(path))
	}
	fmt.Fprintln(w)
	return nil
}

// record appends the night to the history, unless it is there already.
func (n *nightly) record(c *compare.Comparison) error {
	if n.look.Again != nil {
		return nil
	}
	line := n.tonight
	line.Verdict, line.Alarm, line.Like = string(c.Verdict), c.Verdict == compare.Worse, n.look.Like
	if c.Verdict == compare.Incomplete {
		line.Why = c.Summary
		for _, p := range c.Incomplete {
			line.Why += "; answers are missing: " + p.String()
		}
	}
	if slices.ContainsFunc(c.Quantities, func(q compare.Quantity) bool { return q.Tested }) {
		line.Look, line.Level = n.look.Number, n.look.Level
	}
	for _, cause := range c.Causes {
		line.Causes = append(line.Causes, cause.Text)
	}
	for _, q := range c.Quantities {
		if line.Like != 0 {
			break // they are in the history
		}
		one := nights.Quantity{Name: nights.Name{Cascade: q.Cascade, Dataset: q.Dataset, Policy: q.Policy, Metric: q.Metric},
			Verdict: string(q.Verdict), Old: nights.Of(q.Old), New: nights.Of(q.New)}
		if q.Tested {
			one.P = &q.Adjusted
		}
		line.Quantities = append(line.Quantities, one)
	}
	return fault.Store.Wrap(n.history.Append(line))
}

// absent reports a folder to which no results came, because the run ended before there were any. Results of an
// earlier run may be there.
func (f nightFlags) absent(dir string) bool {
	if _, yes := folder.Unfinished(dir); yes {
		return true
	}
	info, err := os.Stat(dir)
	if f.History == "" || err != nil || !info.IsDir() {
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
	return &compare.Comparison{Version: compare.Version, Study: old.Study, Old: compare.SideOf(old),
		New: compare.Side{Name: dir}, Verdict: compare.Incomplete,
		Summary: fmt.Sprintf("incomplete: %s has no results of its last run, which ended before there were any%s", dir, why)}
}

// inGitHub says that a job of GitHub Actions runs this.
func inGitHub() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// loud lets the runner read commands again. That, and the annotations, are written where the names are: a runner reads
// the two outputs of a program in no certain order.
func (n *nightly) loud(w io.Writer) {
	if n.resume != "" {
		fmt.Fprintln(w, n.resume)
		n.resume = ""
	}
}

// onGitHub writes annotations where GitHub Actions reads them, and appends the summary to the page of the job.
func onGitHub(w io.Writer, night *ci.Night) error {
	if inGitHub() {
		if err := ci.Annotations(w, night); err != nil {
			return err
		}
	}
	path := os.Getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return nil
	}
	var text strings.Builder
	if err := ci.Summary(&text, night); err != nil {
		return err
	}
	file, err := regular.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = file.WriteString(text.String() + "\n")
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fault.Store.Wrap(fmt.Errorf("append the summary to the file that GITHUB_STEP_SUMMARY names: %w", err))
	}
	return nil
}
