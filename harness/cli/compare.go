package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"infnet/backends/engine"
	"infnet/harness/accept"
	"infnet/harness/compare"
	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/store"
)

// compareCommand compares two runs.
type compareCommand struct {
	Old   string  `arg:"" help:"What to compare with: an accepted file, or a run's folder."`
	New   string  `arg:"" help:"The new run: its folder, or an accepted file."`
	Alpha float64 `help:"Level of the tests: the probability that anything is called worse while nothing is." default:"0.05" placeholder:"P"`
	Level string  `help:"Go no further than this level: bytes, numbers, decisions or statistics." enum:"bytes,numbers,decisions,statistics" default:"statistics" placeholder:"LEVEL"`
	JSON  string  `help:"Write everything to this file as JSON." placeholder:"FILE"`
	All   bool    `help:"Print every quantity and every record that moved, and not only the first."`
	nightFlags
}

// Run compares, prints, and fails where something is worse.
func (c *compareCommand) Run(_ context.Context, s *streams) error {
	if !(c.Alpha > 0 && c.Alpha < 1) {
		return fault.Usage.Wrap(fmt.Errorf("--alpha %v: want a number between 0 and 1, such as 0.05", c.Alpha))
	}
	if c.History != "" && c.Level != string(compare.Statistics) {
		return fault.Usage.Wrap(fmt.Errorf("--level %s stops before the tests that --history divides the level over: "+
			"leave one of them out", c.Level))
	}
	old, err := accept.Open(c.Old)
	if err != nil {
		return err
	}
	n, found, err := c.night(old)
	if err != nil {
		return err
	}
	if inGitHub() { // whose runner reads names of records as commands, until loud
		token := rand.Text()
		n.resume = "::" + token + "::"
		fmt.Fprintln(s.out, "::stop-commands::"+token)
	}
	defer n.loud(s.out)
	prose(s.out, "%s", found.Summary)
	for _, line := range found.Head() {
		prose(s.out, "  %s", line)
	}
	for _, part := range found.Parts(c.All) {
		fmt.Fprintf(s.out, "\n%s\n", part.Title)
		for _, line := range part.Lines {
			prose(s.out, "  %s", line)
		}
	}
	failed := n.finish(s, found)
	if c.JSON != "" {
		failed = errors.Join(writeJSON(c.JSON, found), failed)
	}
	verdict := verdictOf(found)
	if failed != nil && found.Verdict == compare.Worse {
		fmt.Fprintln(s.err, "infnet:", failed) // a disk that is full does not hide what is worse
		return verdict
	}
	return cmp.Or(failed, verdict)
}

// night compares with the new run, as the night that it is in the history, where one is kept.
func (c *compareCommand) night(old *accept.Run) (*nightly, *compare.Comparison, error) {
	if c.absent(c.New) {
		found := nothing(old, c.New)
		n, err := c.begin(found.Old, found.New, old.Study, c.Alpha)
		return n, found, err
	}
	now, err := accept.Open(c.New)
	if err != nil {
		return nil, nil, err
	}
	n, err := c.begin(compare.SideOf(old), compare.SideOf(now), now.Study, c.Alpha)
	if err != nil {
		return nil, nil, err
	}
	o := compare.Options{Alpha: c.Alpha, Most: compare.Level(c.Level)}
	if n.history != nil {
		o.Alpha = n.look.Level
	}
	found, err := compare.Runs(old, now, o)
	return n, found, err
}

// verdictOf turns a verdict into the error of its exit code.
func verdictOf(found *compare.Comparison) error {
	switch found.Verdict {
	case compare.Worse:
		return fault.Worse.Wrap(errors.New(found.Summary))
	case compare.Incomplete:
		if found.Level == "" {
			return fault.Incomplete.Wrap(errors.New(found.Summary + "; start what was down, and run it again"))
		}
		return fault.Incomplete.Wrap(fmt.Errorf("%s: more answers are missing than [collect] max_missing allows, so that "+
			"nothing is said about better or worse; collect what is missing, and compare again", found.Summary))
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
	before, err := c.before(run)
	if err != nil {
		return err
	}
	b, err := run.Encode()
	if err != nil {
		return err
	}
	if err := store.WriteFile(c.Out, b); err != nil {
		return err
	}
	if before != "" {
		fmt.Fprintln(s.out, before)
	}
	fmt.Fprintf(s.out, "%s: %s accepted on %s: %d bytes. Keep it in version control, and compare later runs with it:\n"+
		"  infnet compare %s %s\n", c.Out, c.Run_, day, len(b), engine.Quote(c.Out), engine.Quote(c.Run_))
	return nil
}

// before says what replacing an accepted file changes; "" = there is none. It fails unless replacing is asked for.
func (c *acceptCommand) before(run *accept.Run) (string, error) {
	if !accept.Exists(c.Out) {
		return "", nil
	}
	what := ""
	old, err := accept.ReadFile(c.Out)
	if err == nil {
		what = fmt.Sprintf("it was accepted on %s", old.Accepted)
		if old.Because != "" {
			what += fmt.Sprintf(" (%s)", old.Because)
		}
		var found *compare.Comparison
		if found, err = compare.Runs(old, run, compare.Options{Alpha: 0.05}); err == nil {
			what += "; " + found.Summary
		}
	}
	if err != nil {
		what = err.Error()
	}
	if c.Replace {
		return fmt.Sprintf("Replaced: %s.", what), nil
	}
	return "", fault.Usage.Wrap(fmt.Errorf("%s is there already: %s. --replace puts the new run in its place",
		c.Out, what))
}
