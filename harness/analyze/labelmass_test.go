package analyze

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// Records 3 and 12 of the student are changed, one of each part. What is certainly below the floor is counted, and what
// may be below; where the mass is unknown nothing is claimed. No row moves.
func TestLittleMass(t *testing.T) {
	t.Parallel()
	measured := func(low, high float64) func(*backends.Answer) {
		return func(a *backends.Answer) { a.LabelMass = &backends.Mass{Low: low, High: high} }
	}
	_, plain := analysed(t, handInput(t, load(t, handTOML), byHand, nil))
	for _, tc := range []struct {
		name               string
		change             func(*backends.Answer)
		known, below, open int
	}{
		{"top-logprobs, little", func(a *backends.Answer) {
			a.By = backends.LabelsTopLogprobs
			for k := range a.Labels {
				a.Labels[k].Logprob += math.Log(0.01) // all labels together have so much of the probability
			}
		}, 2, 2, 0},
		{"in this process, before masses were stored", func(*backends.Answer) {}, 0, 0, 0},
		{"at the floor", measured(0.5, 0.5), 2, 0, 0},
		{"certainly below", measured(0.1, 0.49), 2, 2, 0},
		{"bounds around the floor", measured(0.1, 0.5), 2, 0, 2},
	} {
		out, d := analysed(t, handInput(t, load(t, handTOML+"\n[confidence]\nlabel_mass = 0.5\n"), byHand, nil,
			func(model string, record int, a *backends.Answer) {
				if model == "student" && (record == 3 || record == 12) {
					tc.change(a)
				}
			}))
		if diff := cmp.Diff(plain.Rows, d.Rows); diff != "" {
			t.Errorf("%s: rows, against those of enough mass (-want +got)\n%s", tc.name, diff)
		}
		if (len(d.Counts.LabelMass) > 0) != (tc.known > 0) {
			t.Fatalf("%s: counted: %+v, %d are known", tc.name, d.Counts.LabelMass, tc.known)
		}
		for _, m := range d.Counts.LabelMass {
			if m.Model != "student" || m.Answers != 20 || m.Known != tc.known || m.Below != tc.below || m.Open != tc.open {
				t.Errorf("%s: counted %+v", tc.name, m)
			}
		}
		if m := d.Diagnostics[0].LabelMass; m.Known != tc.known/2 || m.Below != tc.below/2 || m.Open != tc.open/2 {
			t.Errorf("%s, test part: %+v", tc.name, m)
		}
		for k, l := range policyLines(t, out) {
			if got := len(l.Models[0].LabelMass) == 2; got != (tc.known > 0 && (k == 2 || k == 11)) {
				t.Errorf("%s, record %d: mass %v", tc.name, k+1, l.Models[0].LabelMass)
			}
		}
	}
}

// A server that tells 0 for what was said and nothing of the rest in 2 of 20 answers, a tenth, is named; with 1 of 20
// it is not, nor the master, whose confidence nobody reads, nor a model that is that sure and says how sure.
func TestHiddenLogProbabilities(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, model string
		upTo        int
		rest        backends.LabelScore
		want        string
	}{
		{"a tenth", "student", 2, backends.LabelScore{Logprob: math.Log(2e-5)}, "2 of 20 answers of student."},
		{"a twentieth", "student", 1, backends.LabelScore{Logprob: math.Log(2e-5)}, ""},
		{"the master", "master", 20, backends.LabelScore{Logprob: math.Log(2e-5)}, ""},
		{"measured", "student", 20, backends.LabelScore{Logprob: -18, Seen: true}, ""},
		{"recorded as unknown", "student", 20, backends.LabelScore{Logprob: -9999, Seen: true},
			"20 of 20 answers of student."},
	} {
		_, d := analysed(t, handInput(t, load(t, handTOML), byHand, nil, func(model string, record int, a *backends.Answer) {
			if model != tc.model || record > tc.upTo {
				return
			}
			for k, l := range a.Labels {
				if a.Labels[k] = tc.rest; l.Logprob > math.Log(.5) {
					a.Labels[k] = backends.LabelScore{Seen: true}
				}
			}
		}))
		got := ""
		for _, n := range d.Notes {
			if n.Kind == "hidden" {
				got += n.Text
			}
		}
		if (got == "") != (tc.want == "") || !strings.HasSuffix(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
