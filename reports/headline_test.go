package reports

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/result"
	"infnet/sufficiency"
)

// concluded is a study of one cascade and one dataset whose policy saves 16.4 % [10.4, 22.4] of the
// master's cost at the master's error.
func concluded() *result.Results {
	d := reviews()
	d.Counts = result.Counts{Records: 1000, Used: 1000, Fit: 800, Test: 200}
	d.Budget = result.Budget{Target: "best", Errors: 56, Records: 800}
	multi := classified("multi", "Ours (threshold per class)", 0.93, 0.93, 16.4, 0.07, 0.76, "cascade")
	multi.Saved, multi.SavedPerQuery = at(16.4, 6, 200), at(16.3, 6, 200)
	multi.Rival = &result.Rival{Verdict: "worth it", First: "tiny-master", Second: "tiny-master", Than: "tiny-master",
		Margin: .02, Saved: at(.164, .06, 200), Error: at(.005, .012, 200), Units: 200}
	master := classified("all", "All Deferred", 0.935, 0.93, 0, 0.065, 1, "router")
	d.Rows = []result.Row{classified("none", "None Deferred", 0.71, 0.71, 92.4, 0.29, 0, "cascade"), master,
		classified("frugalgpt", "FrugalGPT", 0.89, 0.88, 20.4, 0.115, 0.72, "cascade"),
		classified("hybridllm", "HybridLLM", 0.9, 0.9, 15.7, 0.1, 0.83, "router"), multi}
	d.Policies = []result.Policy{{Policy: "multi", Feasible: true, Budget: 56, FitErrors: 56, MinErrors: 40}}
	c := plainCascade()
	c.Datasets = []result.Dataset{d}
	return &result.Results{Version: result.Version, Name: "headline", Level: 0.95, Cascades: []result.Cascade{c},
		Models: []result.Model{{Name: "tiny-student", Backend: "local"}, {Name: "tiny-master", Backend: "local"}}}
}

// parts are what a case changes.
type parts struct {
	s      *result.Results
	c      *result.Cascade
	d      *result.Dataset
	ours   *result.Row
	master *result.Row
}

// The words of each case follow from its figures; none is a program's output.
var headlines = []struct {
	name    string
	change  func(p parts)
	verdict Verdict
	says    []string
	never   []string
}{
	{name: "cheaper, error within the margin", verdict: WorthIt, says: []string{
		"The error of ours is 0.5 points [-0.7, 1.7] higher than tiny-master alone. Ours costs 16.4 % [10.4, 22.4] " +
			"less than tiny-master " +
			"alone. Use it."}},
	{name: "cheaper, errs less", verdict: WorthIt, change: func(p parts) { p.ours.Rival.Error = at(-0.03, 0.01, 200) },
		says: []string{"3.0 points [2.0, 4.0] lower than tiny-master alone", "Use it."}},
	{name: "no margin", verdict: WorthIt, change: func(p parts) {
		p.ours.Rival.Margin, p.ours.Rival.Second, p.ours.Rival.P = 0, "tiny-student", 0.25
	}, says: []string{"Ours costs 16.4 % [10.4, 22.4] less than the cheapest random mix that errs no more " +
		"(75.0 % tiny-master, the rest tiny-student)."}},
	{name: "cheaper, errs more", verdict: ErrsMore, change: func(p parts) {
		p.ours.Rival.Verdict, p.ours.Rival.Error = "errs more", at(0.03, 0.01, 200)
	}, says: []string{"3.0 points [2.0, 4.0] higher", "Use ours only if the saving is worth the errors."}},
	{name: "a threshold per class errs more, one does not", verdict: ErrsMore, change: func(p parts) {
		p.ours.Rival.Verdict, p.ours.Rival.Error = "errs more", at(0.03, 0.01, 200)
		one := classified("single", "Ours (one threshold)", 0.93, 0.93, 5, 0.07, 0.9, "cascade")
		one.Rival = &result.Rival{Verdict: "worth it", Than: "tiny-master", Error: at(0.01, 0.02, 200)}
		p.d.Rows = append(p.d.Rows, one)
	}, says: []string{"One threshold for all classes saves 5.0 % [3.5, 6.5] of tiny-master's cost; its error is 1.0 " +
		"points [-1.0, 3.0] higher than tiny-master alone."}},
	{name: "interval of the cost covers the rival's", verdict: NotShown, change: func(p parts) {
		p.ours.Rival.Verdict, p.ours.Saved, p.ours.Rival.Saved = "not shown", at(2, 6, 200), at(.02, .06, 200)
	}, says: []string{"Not shown to be worth it. The error",
		"Ours costs 2.0 % [-4.0, 8.0] less than tiny-master alone.",
		"Ask tiny-master alone. More test records may decide."}, never: []string{"Use it"}},
	{name: "cheaper, but the error is not shown", verdict: NotShown, change: func(p parts) {
		p.ours.Rival.Verdict, p.ours.Rival.Error = "not shown", at(.005, .02, 200)
	}, says: []string{"But it is not shown that the error of ours is within 2.0 points of tiny-master alone."},
		never: []string{"Use it"}},
	{name: "the master alone is cheaper", verdict: NotWorthIt, change: func(p parts) {
		p.ours.Rival.Verdict, p.ours.Rival.Saved = "not worth it", at(-.071, .02, 200)
	}, says: []string{"Not worth it. The error", "tiny-master alone costs 7.1 % [5.1, 9.1] less.",
		"0.5 points [-0.7, 1.7] higher", "Ask tiny-master alone."}, never: []string{"Use it"}},
	{name: "a coin is cheaper", verdict: NotWorthIt, change: func(p parts) {
		*p.ours.Rival = result.Rival{Verdict: "not worth it", First: "tiny-master", Second: "tiny-student", P: 0.25,
			Than: "tiny-master", Margin: .02, Saved: at(-.071, .02, 200), Error: at(-0.03, 0.01, 200)}
	}, says: []string{"The cheapest random mix that errs at most 2.0 points more (75.0 % tiny-master, the rest " +
		"tiny-student) costs 7.1 % [5.1, 9.1] less.",
		"ask tiny-master for 75.0 % of the queries at random, tiny-student for the rest."}},
	{name: "never defers", verdict: SameAs, change: func(p parts) {
		p.ours.Rival.Verdict, p.ours.Rival.Single = "same", "tiny-student"
	}, says: []string{"ours asks tiny-student on every test record", "Ask tiny-student alone."}},
	{name: "errs less than any single model", verdict: ErrsLess, change: func(p parts) {
		p.ours.Rival.Verdict, p.ours.Rival.Error = "errs less", at(-.05, .02, 200)
	}, says: []string{"5.0 points [3.0, 7.0] lower than tiny-master alone. No single model errs so rarely. Use " +
		"ours if the fewer errors are worth its cost."}},
	{name: "groups of records", verdict: TooFew, change: func(p parts) { p.ours.Rival.Units = 12 },
		says: []string{"The test part has only 12 groups: too few for a conclusion."}},
	{name: "results without a comparison", verdict: NotShown, change: func(p parts) { p.ours.Rival = nil },
		says: []string{"was not compared"}, never: []string{"no single model", "Use it"}},
	{name: "infeasible", verdict: Infeasible, change: func(p parts) {
		p.d.Policies[0].Feasible, p.d.Policies[0].MinErrors, p.d.Policies[0].Budget = false, 60, 56
	}, says: []string{"The budget cannot be met: target best allows 56 errors on the 800 records of the fit part, and " +
		"the fewest that any thresholds make are 60."}, never: []string{"saves", "Use it"}},
	{name: "incomplete", verdict: Incomplete, change: func(p parts) {
		p.c.Incomplete, p.d.Counts.Used = true, 700
		p.d.Counts.Missing = []result.Missing{{Model: "tiny-master", Cause: "timeout", Count: 300}}
	}, says: []string{"INCOMPLETE: 300 of 1000 records lack an answer (tiny-master, timeout: 300)", "No conclusion"},
		never: []string{"saves", "Use it"}},
	{name: "another dataset is incomplete", verdict: WorthIt, change: func(p parts) { p.c.Incomplete = true }},
	{name: "models that cannot do the task", verdict: NoSignal, change: func(p parts) {
		p.d.Notes = []result.Note{{Kind: "chance", Text: "These models are no better than chance here."}}
	}, never: []string{"Use it", "saves"}},
	{name: "nineteen test records", verdict: TooFew, change: func(p parts) { p.d.Counts.Test = 19 },
		says: []string{"only 19 records"}, never: []string{"Use it", "saves"}},
	{name: "no numbers", verdict: Nothing, change: func(p parts) { p.ours.Saved.Value = math.NaN() }},
	{name: "no row of ours", verdict: Nothing, change: func(p parts) { p.ours.Policy = "multi-kde" }},
	{name: "oracle setting", verdict: WorthIt, change: func(p parts) { p.c.Setting = "oracle" },
		says: []string{"The disagreement with tiny-master of ours"}, never: []string{"error of"}},
	{name: "soft errors", verdict: WorthIt, change: func(p parts) { p.d.Soft = true },
		says: []string{"The mean error of ours"}},
	{name: "target missed", verdict: ErrsMore, change: func(p parts) { p.c.Target, p.d.Budget.Errors = "0.96", 32 },
		says: []string{"The allowed error of 4.0 % is exceeded on the test part.",
			"It errs more than you allow"}, never: []string{"Use it"}},
	{name: "target kept", verdict: WorthIt, change: func(p parts) { p.c.Target, p.d.Budget.Errors = "0.9", 80 },
		says: []string{"The allowed error of 10.0 % is kept on the test part."}},
	{name: "target open", verdict: WorthIt, change: func(p parts) { p.c.Target = "0.93" },
		says: []string{"whether it is kept is open"}},
	{name: "guarantee given", verdict: WorthIt, change: func(p parts) {
		g := classified("multi-guarantee", "Ours, certified", 0.9, 0.9, 3, 0.06, 0.9, "cascade")
		g.Certified, g.Promise = true, &result.Promise{Method: "ltt", Level: 0.08, Delta: 0.1}
		p.d.Rows = append(p.d.Rows, g)
	}, says: []string{"With the guarantee (error at most 8.0 % with probability 0.9, on records drawn like these) " +
		"it saves " +
		"3.0 % [1.5, 4.5]"}},
	{name: "guarantee not given", verdict: WorthIt, change: func(p parts) {
		g := classified("multi-guarantee", "Ours, not certified", 0.9, 0.9, 3, 0.06, 0.9, "cascade")
		g.Promise = &result.Promise{Method: "ltt", Level: 0.08, Delta: 0.1}
		p.d.Rows = append(p.d.Rows, g)
	}, says: []string{"could not be given"}, never: []string{"With the guarantee"}},
	{name: "guarantee given for another form", verdict: WorthIt, change: func(p parts) {
		one := classified("single-guarantee", "Ours (one threshold), certified", 0.9, 0.9, 3, 0.06, 0.9, "cascade")
		one.Certified, one.Promise = true, &result.Promise{Method: "ltt", Level: 0.08, Delta: 0.1}
		many := classified("multi-guarantee", "Ours, not certified", 0.9, 0.9, 9, 0.06, 0.9, "cascade")
		many.Promise = one.Promise
		p.d.Rows = append(p.d.Rows, one, many)
	}, says: []string{"could not be given for this form; Ours (one threshold), certified has it"}},
	{name: "no models", verdict: Nothing,
		change: func(p parts) { p.c.Models, p.ours.Rival.First = nil, ""; p.ours.Rival.Verdict = "not shown" }},
	{name: "a baseline saves more", verdict: WorthIt, change: func(p parts) { p.d.Matched = beatenBy(-9, 2) },
		says: []string{"But HybridLLM, fitted to the same error, saves 9.0 [7.0, 11.0] points more",
			"Look at that baseline first."},
		never: []string{"Use it"}},
	{name: "no baseline saves clearly more", verdict: WorthIt, change: func(p parts) { p.d.Matched = beatenBy(-1, 2) },
		never: []string{"But"}},
	{name: "stand-ins", verdict: WorthIt, change: func(p parts) {
		p.s.StandIns = []result.StandIn{{For: "gpt-x", Model: "tiny-master"},
			{For: "minilm", Model: "lexical", Part: "embedder"}}
	}, says: []string{"Stand-in models (tiny-master for gpt-x): this says nothing of the models that the study is about."},
		never: []string{"Use it", "minilm"}},
	{name: "simulated", verdict: WorthIt, change: func(p parts) { p.s.Models[1].Backend = "simulated" },
		says: []string{"The answers are simulated"}, never: []string{"Use it"}},
	{name: "an extra model pays", verdict: WorthIt, change: func(p parts) {
		p.d.Extra = &result.Extra{Model: "middle", Pair: "pair-1-3", Pays: "yes", Saved: at(5, 1, 200)}
	}, says: []string{"Asking middle too pays: 5.0 [4.0, 6.0] points more saved"}},
	{name: "confidence: something helps", verdict: WorthIt, change: func(p parts) {
		p.d.Sufficiency = sufficient(sufficiency.Row{Set: "topic", State: sufficiency.Tested, Finding: true, P: 0.001,
			Holm: 0.004, Gain: at(0.01, 0.005, 200)})
	}, says: []string{"The confidence is not sufficient: topic helps to tell where to defer (adjusted p = 0.004)."}},
	{name: "confidence: something tells more", verdict: WorthIt, change: func(p parts) {
		p.d.Sufficiency = sufficient(sufficiency.Row{Set: "topic", State: sufficiency.Tested, Finding: true, P: 0.001,
			Holm: 0.004, Gain: at(-0.01, 0.02, 200)})
	}, says: []string{"The confidence is not sufficient: topic tells more (adjusted p = 0.004), but trees predict no " +
		"better with it here."}},
	{name: "confidence: a hint", verdict: WorthIt, change: func(p parts) {
		p.d.Sufficiency = sufficient(sufficiency.Row{Set: "topic", State: sufficiency.Tested, Finding: true, P: 0.03,
			Holm: 0.2})
	}, says: []string{"There is a hint that topic tells more than the confidence (p = 0.03; adjusted for all tests p " +
		"= 0.2)."}},
	{name: "confidence: nothing found", verdict: WorthIt, change: func(p parts) {
		p.d.Sufficiency = sufficient(sufficiency.Row{Set: "topic", State: sufficiency.Tested, P: 0.5, Holm: 1})
	}, never: []string{"sufficient", "confidence"}},
	{name: "confidence: not tested", verdict: WorthIt, never: []string{"sufficient", "confidence"}},
}

func sufficient(rows ...sufficiency.Row) *result.Sufficiency {
	return &result.Sufficiency{Alpha: 0.05, Rows: rows}
}

// beatenBy is HybridLLM at the error of ours, which saves so many points more than ours.
func beatenBy(ours, half float64) []result.Matched {
	m := result.Matched{Ours: "multi", Baseline: "hybridllm"}
	m.Error.Fitted = result.Fitted{Saved: at(20, 2, 200), DiffSaved: at(ours, half, 200), DiffError: at(0.01, 0.01, 200)}
	return []result.Matched{m}
}

func TestHeadlines(t *testing.T) {
	for _, x := range headlines {
		t.Run(x.name, func(t *testing.T) {
			s := concluded()
			c := &s.Cascades[0]
			d := &c.Datasets[0]
			if x.change != nil {
				x.change(parts{s: s, c: c, d: d, ours: &d.Rows[4], master: &d.Rows[1]})
			}
			all := Headlines(s)
			if len(all) != 1 {
				t.Fatalf("%d headlines of one cascade and dataset", len(all))
			}
			got := all[0].Sentence()
			if all[0].Verdict != x.verdict {
				t.Errorf("verdict %q, want %q: %s", all[0].Verdict, x.verdict, got)
			}
			for _, want := range x.says {
				if !strings.Contains(got, want) {
					t.Errorf("does not say %q:\n%s", want, got)
				}
			}
			for _, no := range x.never {
				if strings.Contains(got, no) {
					t.Errorf("says %q:\n%s", no, got)
				}
			}
			if strings.Contains(got, "NaN") || strings.Contains(got, "%!") || strings.Contains(got, "  ") {
				t.Errorf("not a sentence: %s", got)
			}
		})
	}
}

func TestCaveatsByGravity(t *testing.T) {
	s := concluded()
	c := &s.Cascades[0]
	c.Datasets = append(c.Datasets, c.Datasets[0])
	c.Datasets[1].Name = "tickets"
	for i, notes := range [][]result.Note{
		{{Kind: "embedder", Text: "lexical"}, {Kind: "overlap", Text: "1 of 400", Count: 1, Of: 400},
			{Kind: "random", Text: "coins"}, {Kind: "reversed", Text: "the confidence falls where the model is right"}},
		{{Kind: "overlap", Text: "80 of 400", Count: 80, Of: 400}, {Kind: "embedder", Text: "lexical"}},
	} {
		c.Datasets[i].Notes, c.Datasets[i].Embedder = notes, "lexical"
	}
	list := ofEachKind(StudyCaveats(Headlines(s)))
	var got []string
	for _, x := range list {
		got = append(got, fmt.Sprintf("%d %s %v+%d", x.Gravity, x.Kind, x.About, x.More))
	}
	// a fifth of the records weighs more than one of 400; what is said of both datasets is said once
	want := []string{"1 reversed [0]+0", "2 overlap [1]+1", "3 embedder [0 1]+0"}
	if !slices.Equal(got, want) {
		t.Errorf("caveats %q, want %q", got, want)
	}
}

// The headlines of studies that were run: their results are in testdata/real, without what no headline reads.
func TestHeadlinesOfRealStudies(t *testing.T) {
	files, err := filepath.Glob("testdata/real/*.json")
	if err != nil || len(files) != 5 {
		t.Fatalf("%d studies: %v", len(files), err)
	}
	var b bytes.Buffer
	for _, f := range files {
		r, err := result.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range Headlines(r) {
			fmt.Fprintf(&b, "%s, %s, %s: %s\n  %s\n", r.Name, h.Cascade, h.Dataset, h.Verdict, h.Sentence())
			for _, c := range h.Caveats {
				fmt.Fprintf(&b, "  %d %s\n", c.Gravity, c.Kind)
			}
		}
	}
	golden(t, "headlines-real.txt", b.Bytes())
}
