package analyze

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/result"
)

// Every way to be asked × mass × floor × flag or refuse: records 3 and 12 of
// the student are changed, one of each part. What is certainly below the floor
// is counted, or missing with its own cause and never wrong; what may be below
// is counted; where the mass is unknown nothing is claimed. The confidences of
// the records that stay do not move.
func TestLittleMass(t *testing.T) {
	type answer = backends.Answer
	by := func(mode backends.LabelMode, shift float64) func(*answer) {
		return func(a *answer) {
			a.By = mode
			for k := range a.Labels {
				a.Labels[k].Logprob += math.Log(shift) // all labels together have shift of the probability
			}
		}
	}
	measured := func(low, high float64) func(*answer) {
		return func(a *answer) { a.LabelMass = &backends.Mass{Low: low, High: high} }
	}
	changed := func(record int) bool { return record == 3 || record == 12 }
	_, plain := analysed(t, handInput(t, load(t, handTOML), byHand, nil))
	const below, open, fine, unknown = "below", "open", "fine", "unknown"
	for _, tc := range []struct {
		name   string
		change func(*answer)
		floor  string
		want   string
	}{
		{"top-logprobs, little", by(backends.LabelsTopLogprobs, 0.01), "0.5", below},
		{"top-logprobs, little for a higher floor", by(backends.LabelsTopLogprobs, 0.9), "0.95", below},
		{"in this process, before masses were stored", func(*answer) {}, "0.5", unknown},
		{"in this process", measured(0.3, 0.3), "0.5", below},
		{"at the floor", measured(0.5, 0.5), "0.5", fine},
		{"certainly below", measured(0.1, 0.49), "0.5", below},
		{"bounds around the floor", measured(0.1, 0.5), "0.5", open},
		{"no floor", measured(0, 0), "0", fine},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, d := analysed(t, handInput(t, load(t, handTOML+"\n[confidence]\nlabel_mass = "+tc.floor+"\n"), byHand, nil,
				func(model string, record int, a *answer) {
					if model == "student" && changed(record) {
						tc.change(a)
					}
				}))
			if diff := cmp.Diff(plain.Rows, d.Rows); diff != "" {
				t.Errorf("rows, against those of enough mass (-want +got)\n%s", diff)
			}
			checkMassCounts(t, d, tc.want)
			checkMassLines(t, out, changed, tc.want)
		})
	}
}

// checkMassCounts holds the counts of the student against what became of its
// two records.
func checkMassCounts(t *testing.T, d result.Dataset, want string) {
	t.Helper()
	known, below, open := 2, 0, 0
	switch {
	case want == "unknown":
		known = 0
	case want == "below":
		below = 2
	case want == "open":
		open = 2
	}
	if (len(d.Counts.LabelMass) > 0) != (known > 0) {
		t.Fatalf("counted: %+v, %d are known", d.Counts.LabelMass, known)
	}
	for _, m := range d.Counts.LabelMass {
		if m.Model != "student" || m.Answers != 20 || m.Known != known || m.Below != below || m.Open != open ||
			!(m.Low <= m.High) {
			t.Errorf("counted %+v, want %d known, %d below, %d perhaps", m, known, below, open)
		}
	}
	m := d.Diagnostics[0].LabelMass
	if m == nil || m.Known != known/2 || m.Below != below/2 || m.Open != open/2 {
		t.Errorf("test part: %+v, want half of %d, %d, %d", m, known, below, open)
	}
}

// checkMassLines looks at the lines of the two records and at one other.
func checkMassLines(t *testing.T, out *Output, changed func(int) bool, want string) {
	t.Helper()
	for record, l := range policyLines(t, out) {
		h, mine := l.Models[0], changed(record+1)
		if got := len(h.LabelMass) == 2; got != (mine && want != "unknown") {
			t.Errorf("record %d: mass %v", record+1, h.LabelMass)
		}
	}
}

// A server that tells 0 for what was said and nothing of the rest in 2 of 20 answers, a tenth, is named; with 1 of 20
// it is not, nor the master, whose confidence nobody reads, nor a model that is that sure and says how sure.
func TestHiddenLogProbabilities(t *testing.T) {
	for _, tc := range []struct {
		name, model string
		upTo        int
		rest        backends.LabelScore
		want        string
	}{
		{"a tenth", "student", 2, backends.LabelScore{Logprob: math.Log(2e-5)}, "2 of 20 answers of student."},
		{"a twentieth", "student", 1, backends.LabelScore{Logprob: math.Log(2e-5)}, ""},
		{"the master", "master", 20, backends.LabelScore{Logprob: math.Log(2e-5)}, ""},
		{"bounded by a list", "student", 20, backends.LabelScore{Logprob: -18}, ""},
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
