package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/recheck"
)

// recheckCommand asks a sample of the stored answers again.
type recheckCommand struct {
	studyFlags
	budgetFlags
	Sample    int      `help:"Ask so many of each model's stored answers again." default:"200" placeholder:"N"`
	Alpha     float64  `help:"Probability of an alarm, of any model, while none has changed." default:"0.05" placeholder:"A"`
	Tolerance float64  `help:"Confidences that differ by no more count as equal: the effect of batches and of other hardware." default:"0.01" placeholder:"X"`
	Seed      *uint64  `help:"Seed of the draw. Default: the study's." placeholder:"N"`
	Round     string   `help:"Name of the draw; the same name goes on with it. Default: today's date." placeholder:"NAME"`
	Only      []string `help:"Ask these models only." placeholder:"MODEL"`
	JSON      string   `name:"json" help:"Write the report as JSON; - is standard output." placeholder:"FILE"`
}

// Run asks, reports, and fails with a code of its own if a model has changed.
func (c *recheckCommand) Run(ctx context.Context, s *streams) error {
	if err := c.check(); err != nil {
		return err
	}
	c.studyFlags.Spending, c.studyFlags.Models = c.limits(), c.Only
	st, err := c.open(ctx, s, pipeline.Hub{Access: pipeline.Download})
	if err != nil {
		return err
	}
	report, err := st.Recheck(ctx, recheck.Asking{Sample: c.Sample, Round: c.Round, Alpha: c.Alpha,
		Tolerance: c.Tolerance, Seed: c.Seed, Now: time.Now})
	st.screen.wait()
	if report == nil {
		return err
	}
	if c.JSON == "-" {
		e := json.NewEncoder(inJSON{beneath(s.out)})
		e.SetIndent("", "  ")
		return errors.Join(err, e.Encode(report))
	}
	printRecheck(s.out, report)
	if c.JSON != "" {
		err = errors.Join(err, writeJSON(c.JSON, report))
	}
	return err
}

// check refuses numbers that make no sense.
func (c *recheckCommand) check() error {
	switch {
	case c.Sample < 1:
		return fault.Usage.Wrap(fmt.Errorf("--sample %d: want 1 or more", c.Sample))
	case !(c.Alpha > 0 && c.Alpha < 1):
		return fault.Usage.Wrap(fmt.Errorf("--alpha %v: want a number between 0 and 1", c.Alpha))
	case !(c.Tolerance >= 0 && c.Tolerance < 1):
		return fault.Usage.Wrap(fmt.Errorf("--tolerance %v: want a number from 0 to below 1", c.Tolerance))
	}
	return nil
}

// printRecheck says what came out: a block of lines for each model.
func printRecheck(out io.Writer, r *recheck.Report) {
	width := terminalWidth(out)
	print := func(format string, args ...any) {
		fmt.Fprintln(out, hang(clean(fmt.Sprintf(format, args...)), width, 15))
	}
	print("Round %s of %s: up to %d stored answers of each model, asked again (seed %d, level %g)", r.Round, r.Study,
		r.Sample, r.Seed, r.Alpha)
	for i := range r.Models {
		fmt.Fprintln(out)
		printRecheckOf(print, &r.Models[i], r.Tolerance)
	}
	fmt.Fprintln(out)
	if len(r.Recorded) > 0 {
		print("Not asked, since their answers are recorded ones: %s", strings.Join(r.Recorded, ", "))
	}
	if len(r.Empty) > 0 {
		print("Not asked, since none of their answers is stored: %s", strings.Join(r.Empty, ", "))
	}
	var cost []string
	for _, m := range r.Spent {
		cost = append(cost, fmt.Sprintf(", %.4g %s", m.Amount, m.Currency))
	}
	print("It took %s, %s%s, %s", counted(r.Calls, "call"), counted(int(r.Tokens), "token"), strings.Join(cost, ""),
		seconds(r.Seconds))
	print("%s", map[recheck.Verdict]string{
		recheck.Same:       "No sign that a served model is not the one that was measured",
		recheck.Changed:    "A SERVED MODEL IS NOT THE ONE THAT WAS MEASURED",
		recheck.Incomplete: "INCOMPLETE: not every model could be asked",
	}[r.Verdict])
}

// printRecheckOf prints what is known of one model.
func printRecheckOf(print func(string, ...any), m *recheck.ModelReport, tolerance float64) {
	print("%s (%s): %s: %s", m.Name, m.Kind, strings.ToUpper(string(m.Verdict)), m.Why)
	if len(m.Identity) > 0 {
		for _, i := range m.Identity {
			print("  %-12s was %s, is %s (no test: what a server says of itself)", i.What, i.Before, i.Now)
		}
	}
	if m.Answered == 0 {
		return
	}
	print("  %-12s %d of %d stored ones asked again, %d answered, %d the same bit for bit%s", "sample", m.Sampled,
		m.Stored, m.Answered, m.Identical, lackingWords(m))
	text := fmt.Sprintf("%s differ", share(m.Flips.Rate))
	if !m.Exact && m.Flips.K > 0 {
		text += coinWords(m.Flips.Coin)
	}
	print("  %-12s %s", "answers", text)
	if m.Flips.K > 0 {
		print("  %-12s such as %s", "", strings.Join(m.Flips.First[:min(3, len(m.Flips.First))], ", "))
	}
	if c := m.Confidence; c != nil {
		text := fmt.Sprintf("%s: mean shift %+.2g", c.Score, c.Shift)
		if !m.Exact {
			text += fmt.Sprintf(" (sign-flip p = %.2g)", c.ShiftP)
		}
		text += fmt.Sprintf("; median change %.2g, largest %.2g; %d of %d changed by more than %g", c.Median, c.Most, c.Moved,
			c.N, tolerance)
		if !m.Exact && c.Moved > 0 {
			text += coinWords(c.Coin)
		}
		print("  %-12s %s", "confidence", text)
	}
	printDecisions(print, m.Decisions)
	if n := m.Noise; n != nil {
		print("  %-12s %s differ between two answers of now, %d of %d are the same bit for bit", "own noise", share(n),
			m.Repeated, n.N)
	}
	cost := ""
	if m.Cost != nil {
		cost = fmt.Sprintf(", %.4g %s", m.Cost.Amount, m.Cost.Currency)
	}
	print("  %-12s %s, %s%s, %s", "cost", counted(m.Calls, "call"), counted(int(m.Tokens), "token"), cost,
		seconds(m.Seconds))
}

// printDecisions prints the policies some of whose decisions would be others, or one line if none has any.
func printDecisions(print func(string, ...any), list []recheck.DecisionRate) {
	all := 0
	for _, d := range list {
		all += d.N
		if d.K > 0 {
			print("  %-12s %s of %s would be others (%d to accept, %d to defer)", "decisions", share(d.Rate), d.Policy,
				d.ToAccept, d.ToDefer)
		}
	}
	if all > 0 && !slices.ContainsFunc(list, func(d recheck.DecisionRate) bool { return d.K > 0 }) {
		print("  %-12s none of %d by %s would be another", "decisions", all, counted(len(list), "fitted policy"))
	}
}

// coinWords says how third answers took sides.
func coinWords(c recheck.Coin) string {
	if c.New+c.Old+c.Neither == 0 {
		return ""
	}
	return fmt.Sprintf("; asked once more, %d side with the new one and %d with the stored one: p = %.2g", c.New, c.Old,
		c.P)
}

// lackingWords says why answers are lacking.
func lackingWords(m *recheck.ModelReport) string {
	var parts []string
	for cause, n := range m.Lacking {
		parts = append(parts, fmt.Sprintf("%s ×%d", cause, n))
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " (lacking: " + strings.Join(parts, ", ") + ")"
}

// share is a rate with its interval.
func share(r *recheck.Rate) string {
	return fmt.Sprintf("%d of %d, %.1f %% [%.1f, %.1f]", r.K, r.N, 100*r.Rate, 100*r.Low, 100*r.High)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if begin, y := strings.CutSuffix(what, "y"); y {
		return fmt.Sprintf("%d %sies", n, begin)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second / 10).String()
}
