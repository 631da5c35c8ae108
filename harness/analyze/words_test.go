package analyze

import (
	"strings"
	"testing"

	"infnet/harness/policy"
	"infnet/harness/policy/guarantee"
	"infnet/harness/population"
	"infnet/harness/spec"
	"infnet/harness/split"
)

// Sentences whose parts depend on what was found.
func TestWords(t *testing.T) {
	form := &population.FormLoss{Exact: policy.Policy{}}
	form.Exact.N, form.Exact.FitDeferred = 200, 33
	form.Exact.Feasible, form.Free.Feasible, form.Free.Outcome.Deferred = true, true, 20
	unmet := &population.FormLoss{}
	column, file := spec.Split{Column: "part"}, spec.Split{Order: spec.InFile}
	for got, want := range map[string]string{
		driftWords(column, split.Drift{What: "the error rate of large (8.7 % and 24.3 %)", FitN: 300, TestN: 200, P: 1e-5,
			Test: "fisher, adjusted for 2 models"}): "the error rate of large (8.7 % and 24.3 %) differs between the fit " +
			"part (300 records) and the test part (200): p = 1e-05 (fisher, adjusted for 2 models); what is fitted on the " +
			"one may not hold on the other (the parts are those of the column \"part\", and nothing says that they were " +
			"drawn from one source)",
		driftWords(spec.Split{}, split.Drift{}): "by chance about 1 such test in 1000 warns",
		driftWords(file, split.Drift{}):         "(order \"shuffle\" makes them alike)",
		formWords(2, .004, []string{"Sports (adjusted p = 0.004)"}, form): "in 1 of 2 classes the student's excess error " +
			"rises with its confidence somewhere, so some surer answers deserve deferral before less sure ones: Sports " +
			"(adjusted p = 0.004). The best thresholds for these records defer 16.5 % of the queries, accepting by " +
			"estimated excess error (out of fold) 10.0 %: the form costs 6.5 points at least.",
		formWords(1, 1, nil, unmet): "(p = 1). Its price could not be measured",
		promiseNote(guarantee.Promise{Method: "crc", Certified: true, Level: 0.1, Reference: "master", Largest: 9},
			"abc").Text: "the error of records drawn like the fit part, in groups of at most 9, is at most 0.1 above that " +
			"of the master alone, on average over fit parts.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}
