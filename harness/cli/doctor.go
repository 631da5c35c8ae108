package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/reports/table"
)

// doctorCommand examines a study's models.
type doctorCommand struct {
	studyFlags
	Only string `help:"Examine this model alone." placeholder:"MODEL"`
}

// Run examines every model, and the embedder and the scorer where the study has use for them: a line for each question,
// with ✓, ?, ! or ✗ and for the last two the fix. It stores nothing. The servers that a run would start are started and
// stopped, one model after the other. The error is for a study that could not run.
func (c *doctorCommand) Run(ctx context.Context, s *streams) error {
	st, err := c.open(ctx, s, pipeline.Hub{Access: pipeline.Optional, Why: asksNobody})
	if err != nil {
		return err
	}
	patients := st.Patients()
	if c.Only != "" {
		i := slices.IndexFunc(patients, // of several it is the first, the one that answers
			func(p pipeline.Patient) bool { return p.Name == c.Only })
		if i < 0 {
			var names []string
			for _, m := range st.Models {
				names = append(names, m.Name)
			}
			return fault.Usage.Wrap(fmt.Errorf("no model of the study is named %q: it has %s", c.Only,
				strings.Join(names, ", ")))
		}
		patients = patients[i : i+1]
	}
	broken := 0
	for _, p := range patients {
		fmt.Fprintf(s.out, "%s (%s)\n", clean(p.Name), p.Role)
		broken += printFindings(s.out, p.Examine(ctx))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	st.screen.wait()
	if broken > 0 {
		return fault.Model.Wrap(fmt.Errorf("%d finding(s) would stop the study or spoil its numbers: see ✗", broken))
	}
	return nil
}

// printFindings prints findings, and counts those that would stop a study.
func printFindings(w io.Writer, found []backends.Finding) (broken int) {
	marks := map[backends.Verdict]string{backends.Fine: "✓", backends.Unknown: "?", backends.Doubt: "!",
		backends.Broken: "✗"}
	width := 0
	for _, f := range found {
		width = max(width, utf8.RuneCountInString(f.Question))
	}
	for _, f := range found {
		of := func(line string) { fmt.Fprintln(w, hang(line, terminalWidth(w), width+6)) }
		of(fmt.Sprintf("  %s %-*s  %s", marks[f.Verdict], width, f.Question, table.Clean(f.Found)))
		if f.Fix != "" {
			of(fmt.Sprintf("    %-*s  → %s", width, "", table.Clean(f.Fix)))
		}
		if f.Verdict == backends.Broken {
			broken++
		}
	}
	return broken
}
