package reports

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"infnet/harness/fitting"
	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/result/note"
)

// WriteFit prints what fitting thresholds to a log gave, for people.
func WriteFit(to io.Writer, r *fitting.Result) error {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	best := r.Best().Policy
	fmt.Fprintf(w, "%d rows fit, %d measure. On the fit part the student errs on %s, the master on %s; budget %s "+
		"(target %s).\n",
		len(r.Fit), len(r.Test), best.StudentError, best.MasterError, best.Budget, best.Budget.Target)
	if r.Log.SoftErrors() {
		fmt.Fprintln(w, "Errors are soft: 1 less the score, a number in [0,1].")
	}
	what := "the student is right"
	if r.Log.SoftErrors() {
		what = "the student's score is above 0.5"
	}
	if r.AUROC.Defined {
		fmt.Fprintf(w, "AUROC of the confidence for %q on the %s: %.3f [%.3f, %.3f]; 0.5 tells nothing.\n",
			what, r.Part(), r.AUROC.Value, r.AUROC.Low, r.AUROC.High)
	} else {
		fmt.Fprintf(w, "AUROC of the confidence: none, as every answer of the %s is of one kind (%s, or not).\n",
			r.Part(), what)
	}
	for i := range r.Policies {
		writeFitted(w, r, &r.Policies[i])
	}
	for _, d := range r.Log.Doubts(r.Fit, r.Test) {
		fmt.Fprintf(w, "\nWarning: %s\n", d.Text)
	}
	return w.Flush()
}

// thetaWords is a threshold in six digits, as the page writes it too; inf defers everything.
func thetaWords(theta float64) string {
	if math.IsInf(theta, 1) {
		return "inf"
	}
	return strconv.FormatFloat(theta, 'g', 6, 64)
}

func writeFitted(w io.Writer, r *fitting.Result, f *fitting.Fitted) {
	p := f.Policy
	proof := fmt.Sprintf("within %d deferrals of the optimum", p.Certificate.Gap)
	switch {
	case f.Guaranteed != nil:
		proof = guaranteeWords(f.Guaranteed)
	case p.Certificate.Method == policy.Priced:
		proof = "least loss on the fit part"
	case p.Certificate.Optimal:
		proof = "proven optimal"
	}
	fmt.Fprintf(w, "\n%s (%s, %s)\n", f.Name, p.Certificate.Method, proof)
	for k, theta := range p.Thresholds {
		name := "all"
		if len(p.Thresholds) > 1 {
			name = r.Log.Classes[k]
		}
		fmt.Fprintf(w, "  %s\tθ = %s\n", name, thetaWords(theta))
	}
	fmt.Fprintf(w, "  fit part\t%d of %d deferred\t%s errors\n", p.FitDeferred, p.N, p.FitError)
	for _, warning := range p.Warnings {
		fmt.Fprintf(w, "  note\t%s\n", warning.Message)
	}
	if len(r.Test) > 0 {
		word := "errors"
		if r.Log.SoftErrors() {
			word = "error (soft: 1 − score)"
		}
		d, e := f.Measured.Deferred, f.Measured.Error
		fmt.Fprintf(w, "  test part\t%.1f %% deferred [%.1f, %.1f]\t%.1f %% %s [%.1f, %.1f]\n",
			100*d.Value, 100*d.Low, 100*d.High, 100*e.Value, word, 100*e.Low, 100*e.High)
	}
	switch c := f.Measured.Cost; {
	case c == nil:
	case c.Master == 0:
		fmt.Fprintf(w, "  cost\t%.6g a query; the master costs nothing on the %s, so no saving can be stated\n",
			c.Cascade/float64(c.Queries), r.Part())
	default:
		fmt.Fprintf(w, "  cost\t%.6g a query on the %s, the master alone %.6g\t%.1f %% saved [%.1f, %.1f]\n",
			c.Cascade/float64(c.Queries), r.Part(), c.Master/float64(c.Queries), c.Saved.Value, c.Saved.Low, c.Saved.High)
	}
	if f != r.Best() {
		fmt.Fprintf(w, "  %s\n", worth(f))
	}
}

// WriteVerdict prints, in a line, whether the policy to deploy is worth it, and in another what to do at
// the price of an error.
func WriteVerdict(to io.Writer, r *fitting.Result) error {
	best := r.Best()
	name := ""
	if len(r.Policies) > 1 {
		name = sentence(best.Name)[:len(best.Name)] + ". "
	}
	_, err := fmt.Fprintf(to, "%s%s\n", name, worth(best))
	if r.Price != nil {
		lines := pricing{r.Price, "", string(best.Policy.Setting)}.sentences()
		_, more := fmt.Fprintln(to, strings.Join(lines, " "))
		err = errors.Join(err, more)
	}
	return err
}

// worth says how a policy compares with the two models.
func worth(f *fitting.Fitted) string {
	return note.Worth(f.Measured.Rival, fitting.Names[0], fitting.Names[1]).Text
}

func guaranteeWords(g *guarantee.Result) string {
	if !g.Certified {
		return fmt.Sprintf("no promise: no candidate passed on the %s that test it; thresholds of least error", g.Sample())
	}
	what := fmt.Sprintf("true error ≤ %.4g", g.Level)
	if g.Reference != "" {
		what = fmt.Sprintf("true error ≤ that of the %s + %.4g", g.Reference, g.Level)
	}
	if g.Largest > 0 {
		what += fmt.Sprintf(" on rows in groups of at most %d,", g.Largest)
	}
	if g.Delta > 0 {
		return fmt.Sprintf("%s with probability %.4g; %d rows proposed, %s tested", what, 1-g.Delta, g.Proposed, g.Sample())
	}
	return fmt.Sprintf("%s on average; %d rows proposed, %s tested", what, g.Proposed, g.Sample())
}

// WriteFrontier writes the points of a frontier as CSV, with a threshold for each class, or for all of no class.
func WriteFrontier(w io.Writer, classes []string, points iter.Seq[policy.Point]) error {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	out := csv.NewWriter(w)
	head := []string{"errors", "deferred", "shadow_price", "on_hull"}
	if len(classes) == 0 {
		head = append(head, "theta")
	}
	for _, class := range classes {
		head = append(head, "theta_"+class)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for p := range points {
		row := []string{p.Error.String(), strconv.Itoa(p.Deferred), number(p.Price), strconv.FormatBool(p.Hull)}
		for _, theta := range p.Thresholds {
			row = append(row, number(theta))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
