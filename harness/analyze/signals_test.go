package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infnet/backends"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/sufficiency"
)

// signal finds a row of the table of signals.
func signal(t *testing.T, d result.Dataset, name string) *result.Signal {
	t.Helper()
	if d.Signals == nil {
		t.Fatal("there are no signals")
	}
	for i := range d.Signals.Rows {
		if d.Signals.Rows[i].Name == name {
			return &d.Signals.Rows[i]
		}
	}
	t.Fatalf("there is no signal %q: %+v", name, d.Signals.Rows)
	return nil
}

// Of two labels the largest probability and the margin order answers as β does, so that all numbers are the same and
// the differences 0; those of the test part of byHand are by hand.
func TestSignalsByHand(t *testing.T) {
	_, d := analysed(t, handInput(t, load(t, handTOML+`
[[confidence.signals]]
kind = "max-probability"
[[confidence.signals]]
kind = "margin"
name = "of-two"
[[confidence.signals]]
kind = "vendor"
`), byHand, nil))
	beta := signal(t, d, "β, softmax")
	// Of 3 wrong and 7 right answers .75 is below 4 right ones, .80 too, and .90 below 2, with a tie.
	near(t, "AUROC", beta.AUROC.Value, 10.5/21)
	// By falling confidence: right, right, a tie of right and wrong, right, wrong, wrong, three times right.
	near(t, "AURC", beta.AURC.Value, (.5/3+1./4+1./5+2./6+3./7+3./8+3./9+3./10)/10)
	near(t, "E-AURC", beta.Above.Value, beta.AURC.Value-(1./8+2./9+3./10)/10)
	near(t, "error", beta.Error.Value, .2) // that of the row of the single threshold
	near(t, "saved", beta.Saved.Value, 50)
	for _, name := range []string{"max-probability", "of-two"} {
		x := signal(t, d, name)
		near(t, name+", AUROC", x.AUROC.Value, beta.AUROC.Value)
		near(t, name+", AURC", x.AURC.Value, beta.AURC.Value)
		near(t, name+", saved", x.Saved.Value, beta.Saved.Value)
		for _, b := range []*result.Beside{x.SavedAtError, x.ErrorAtCost} {
			if b == nil || b.Value != 0 || b.Low != 0 || b.High != 0 || b.Clipped {
				t.Errorf("%s differs from β: %+v", name, b)
			}
		}
	}
	if x := signal(t, d, "vendor"); x.Missing == "" || x.AUROC.N != 0 {
		t.Errorf("a confidence that nobody recorded: %+v", x)
	}
	if n := len(d.Signals.Adds); n != 2 {
		t.Errorf("%d ordered pairs of two signals", n)
	}
}

// sensitive has a student that is right where its mass on the labels is large, whatever its confidence, and a master
// that is always right.
func sensitive(t *testing.T, n int) Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 9))
	truth, mass, beta := make([]byte, n), make([]float64, n), make([]float64, n)
	right := make([]bool, n)
	for i := range truth {
		truth[i] = "rb"[rng.IntN(2)]
		mass[i], beta[i] = .05+.9*rng.Float64(), .5+.5*rng.Float64()
		right[i] = rng.Float64() < mass[i]
	}
	s := load(t, handTOML+`
[[confidence.signals]]
kind = "max-probability"
[[confidence.signals]]
kind = "label-mass"
[[confidence.signals]]
kind = "length"
`)
	s.Report.Bootstrap = 200
	return inputOf(t, s, truth, func(model string, i int) (byte, float64) {
		if model == "student" && !right[i] {
			return 'r' + 'b' - truth[i], beta[i]
		}
		return truth[i], beta[i]
	}, nil, func(model string, record int, a *backends.Answer) {
		a.LabelMass = backends.Exactly(mass[record-1])
	})
}

// The signal that tells adds to the confidence, which tells nothing and adds nothing to it; the combination is about as
// good as the signal.
func TestWhichSignalAdds(t *testing.T) {
	t.Parallel()
	_, d := analysed(t, sensitive(t, 600))
	mass, combined := signal(t, d, "label-mass"), signal(t, d, combined)
	if mass.AUROC.Low < .7 || mass.Beats == nil || mass.Beats.Low <= 0 || mass.SavedAtError.Low <= 0 {
		t.Errorf("the mass on the labels is no better than β: %+v", mass)
	}
	if math.Abs(combined.AUROC.Value-mass.AUROC.Value) > .03 {
		t.Errorf("the combination has the AUROC %v, its best signal %v", combined.AUROC.Value, mass.AUROC.Value)
	}
	if x := signal(t, d, "length"); x.Missing == "" {
		t.Error("a classification has a length")
	}
	verdicts := map[string]bool{}
	for _, a := range d.Signals.Adds {
		if a.State != sufficiency.Tested || a.Value == nil || a.Holm < a.P {
			t.Errorf("%+v", a)
		}
		verdicts[fmt.Sprint(a.Given, " + ", a.Adds)] = a.Verdict(d.Signals.Alpha) == result.Adds
	}
	if !verdicts["max-probability + label-mass"] || verdicts["label-mass + max-probability"] || len(verdicts) != 2 {
		t.Errorf("%v", verdicts)
	}
}

// What the fit part learns does not depend on the test part's answers.
func TestCombinationSeesTheFitPartAlone(t *testing.T) {
	t.Parallel()
	fit := func(spoil bool) []float64 {
		in := sensitive(t, 120)
		if spoil {
			for i := 60; i < 120; i++ {
				in.Sheets["colours"].Set.Examples[i].Class = 1 - in.Sheets["colours"].Set.Examples[i].Class
			}
		}
		out, _ := analysed(t, in)
		r := out.Datasets[0].Records
		list, err := records.Signals(r)
		if err != nil {
			t.Fatal(err)
		}
		x, ok, err := combination(t.Context(), in, r, list[:2])
		if err != nil || !ok {
			t.Fatal(err, ok)
		}
		return append(x.fit, x.test...)
	}
	list(t, "the combination", fit(true), fit(false))
}
