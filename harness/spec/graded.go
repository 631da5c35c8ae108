package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/baseline"
	"infnet/harness/choice"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
	"infnet/metrics"
)

// NullLogprob is what a null log-probability of a recorded answer means.
type NullLogprob string

// The meanings.
const (
	NullUnknown NullLogprob = "unknown" // nobody knows
	NullLowest  NullLogprob = "-inf"    // minus infinity, which JSON cannot write
)

// UnmarshalText accepts a meaning's name.
func (n *NullLogprob) UnmarshalText(b []byte) error {
	return choice.Decode(n, b, "meaning of a null log-probability", []NullLogprob{NullUnknown, NullLowest})
}

// countedApart is a kind of tokens that a vendor does not include in its counts of a prompt and an answer.
type countedApart string

const (
	cachedApart    countedApart = "cached"
	reasoningApart countedApart = "reasoning"
)

func (c *countedApart) UnmarshalText(b []byte) error {
	return choice.Decode(c, b, "kind of tokens", []countedApart{cachedApart, reasoningApart})
}

// NoConfidence is what happens to a model without a confidence that has to decide.
type NoConfidence string

// The effects.
const (
	RefuseModel NoConfidence = "refuse" // it can only be the last of a cascade
	TieAnswers  NoConfidence = "tie"    // its answers have the confidence 0, all of them
)

// UnmarshalText accepts an effect's name.
func (n *NoConfidence) UnmarshalText(b []byte) error {
	return choice.Decode(n, b, "effect of having no confidence", []NoConfidence{RefuseModel, TieAnswers})
}

// checkFacts checks how recorded answers are read.
func checkFacts(d *definition, r *rawModel, a *Recording) {
	f := &a.Facts
	a.Of, a.Ties = or(r.AnswersOf, ""), or(r.NoConfidence, RefuseModel) == TieAnswers
	if r.AnswersOf != nil && a.Of == "" {
		d.wrong("answers_of", "the text is empty", "the model's name as the file writes it, or leave it out")
	}
	f.NullIsLow = or(r.NullLogprob, NullUnknown) == NullLowest
	f.CachedApart = slices.Contains(r.CountedApart, cachedApart)
	f.ReasoningApart = slices.Contains(r.CountedApart, reasoningApart)
	for _, both := range []struct{ key, a, b, hint string }{
		{"latency_ms", a.Columns.Latency, f.LatencyMS, "name the column in seconds or the one in milliseconds"},
		{"score", f.Correct, f.Score, "name the column of right and wrong, or that of the score"},
	} {
		if both.a != "" && both.b != "" {
			d.wrong("columns."+both.key, fmt.Sprintf("the columns %q and %q say one fact twice", both.a, both.b), both.hint)
		}
	}
	if a.Format == backends.AnswersInspect || a.Format == backends.AnswersLMEval {
		if r.NullLogprob != nil || r.CountedApart != nil {
			key := "counted_apart"
			if r.NullLogprob != nil {
				key = "null_logprob"
			}
			d.wrong(key, fmt.Sprintf("it is about a table, and answers_format is %q", a.Format), "leave it out")
		}
	}
}

// rules are those that the study names for the dataset.
func (c *datasetCheck) rules() []task.Rule {
	switch {
	case c.raw.Correct != nil:
		return c.raw.Correct.Rule
	case c.main.raw.Correct != nil:
		return c.main.raw.Correct.Rule
	}
	return nil
}

// graded reports whether the dataset's answers are graded already.
func (c *datasetCheck) graded() bool { return len(c.rules()) > 0 && c.rules()[0] == task.Recorded }

// free reports whether the dataset's answers are graded without a reference.
func (c *datasetCheck) free() bool {
	return c.graded() || slices.Equal(c.rules(), []task.Rule{task.Command}) && !c.out.classification()
}

// recorded checks the rule that takes over recorded grades.
func (c *gradeCheck) recorded(file *file, at string) {
	d := &c.out
	if c.builtin != nil {
		file.wrong(place.Join(at, "rule"), fmt.Sprintf("%s is generated, and nobody has recorded answers to it",
			d.Source.Text), "name the file of the questions: source = \"file:questions.jsonl\"")
	}
	if d.Split.Stratify && d.LabelColumn == "" {
		c.wrong("correct", "the split is stratified by the reference's class, and no reference is named",
			"leave stratify out, or name the column: label = …")
	}
}

// unreferenced leaves out metrics that need a reference, where there is none.
func (c *gradeCheck) unreferenced() {
	d := &c.out
	if !(*datasetCheck)(c).free() || c.builtin != nil || d.LabelColumn != "" || d.ReferenceColumn != "" {
		return
	}
	var out []string
	d.Metrics = slices.DeleteFunc(d.Metrics, func(m metrics.Name) bool {
		if m != metrics.Accuracy {
			out = append(out, string(m))
		}
		return m != metrics.Accuracy
	})
	if len(out) == 0 {
		return
	}
	key, column := "label", "label"
	if !c.out.classification() {
		key, column = "reference", "reference"
	}
	c.file.warn(c.at+".metrics", fmt.Sprintf("%s left out: without a reference nothing can be computed but the "+
		"grades", choice.And(out)), fmt.Sprintf("name the column of the right answers, %s = \"%s\", where there is one",
		key, column))
	if len(d.Metrics) == 0 {
		d.Metrics = []metrics.Name{metrics.Accuracy}
	}
}

// other adds the class of answers that are none of the labels.
func (c *datasetCheck) other() {
	name := c.raw.Other
	if name == nil {
		return
	}
	switch {
	case !c.out.classification():
		c.wrong("other", fmt.Sprintf("a task of %s has no labels", c.out.Task), "leave it out")
	case !c.graded():
		c.wrong("other", "an answer that is none of the labels has no grade", "leave it out; it is for "+
			"correct = { rule = \"recorded\" }")
	case strings.TrimSpace(*name) != *name || *name == "":
		c.wrong("other", fmt.Sprintf("%q is no name of a class", *name), "a word, such as other = \"other\"")
	case slices.ContainsFunc(c.out.Labels, func(l Label) bool {
		return folded(l.Class) == folded(*name) || folded(l.Word) == folded(*name)
	}):
		c.wrong("other", fmt.Sprintf("%q is one of the labels", *name), "give the other answers a name of their own")
	default:
		c.out.Labels = append(c.out.Labels, Label{Class: *name, Word: *name, Other: true})
	}
}

// givenSplit checks a split that a column gives.
func (c *splitCheck) givenSplit(layers []layer, s *Split) {
	column, from := first(layers, func(r *rawSplit) *string { return r.Column })
	fitIs, fits := first(layers, func(r *rawSplit) *[]string {
		if r.FitIs == nil {
			return nil
		}
		return &r.FitIs
	})
	if column == nil {
		if fitIs != nil {
			fits.file.once(fits.at+".fit_is", "fit_is names values of a column, and no column is named",
				"column = \"split\", or leave fit_is out")
		}
		return
	}
	s.Column = *column
	if fitIs != nil {
		if s.FitIs = *fitIs; len(s.FitIs) == 0 {
			fits.file.once(fits.at+".fit_is", "the list is empty: no row would fit", "leave it out for fit and train")
		}
	}
	if c.builtin != nil {
		from.file.once(from.at+".column", "a built-in dataset has no columns", "leave it out")
	}
	for _, k := range []struct {
		key string
		is  bool
	}{{"fit", from.raw.Fit != nil}, {"order", from.raw.Order != nil}, {"stratify", or(from.raw.Stratify, false)},
		{"repeats", or(from.raw.Repeats, 1) > 1}} {
		if k.is {
			from.file.once(from.at+"."+k.key, "the split is given by a column, and "+k.key+" is about one that is drawn",
				"leave one of the two out")
		}
	}
	if err := dataset.CheckPath(*column); err != nil {
		from.file.once(from.at+".column", err.Error(), "")
	}
}

// checkGraded checks that the models and the tables of a study suit recorded grades.
func checkGraded(s *Study, main *file) {
	for i, c := range s.Asked() {
		for _, name := range c.Datasets {
			d, ok := s.Dataset(name)
			if !ok || d.Correct.Rule != task.Recorded {
				continue
			}
			for _, model := range c.Models {
				if m, ok := s.Model(model); ok && m.Recording == nil && m.Config.Model.Kind != "" {
					main.wrong(element(main, i, model), fmt.Sprintf("the grades of %s are recorded, and the answers of %s are "+
						"not: nobody has graded them", d.Name, model), "name its recorded answers, answers = …, or grade by "+
						"another rule")
				}
			}
		}
	}
	for _, d := range s.Datasets {
		if d.Correct.Rule != task.Recorded {
			continue
		}
		if s.Policy.Setting == policy.Oracle {
			main.wrong("policy.setting", fmt.Sprintf("oracle compares answers with the master's, and %s has recorded grades",
				d.Name), "leave setting out")
		}
		if s.Policy.Calibration == confidence.Temperature && d.LabelColumn == "" {
			main.wrong("policy.calibration", fmt.Sprintf("temperature is fitted to the right classes, and %s names none",
				d.Name), "use isotonic or platt, or name the column: label = …")
		}
	}
}

// textless reports whether the dataset has no texts of its queries: the prompt names the id alone.
func (d *Dataset) textless() bool {
	return d.Correct.Rule == task.Recorded && d.IDColumn != "" &&
		!slices.ContainsFunc(d.Fields, func(f Field) bool { return f.Column != d.IDColumn })
}

// checkTexts refuses whatever learns from the queries' texts where there are none.
func checkTexts(s *Study, main *file) {
	for _, d := range s.Datasets {
		if !d.textless() {
			continue
		}
		why := fmt.Sprintf("reads the queries' texts, and %s has none: its prompt names the id alone", d.Name)
		const fix = "name the column of the text in the prompt, such as prompt = \"{text}\", or leave it out"
		for _, b := range s.Baselines {
			if b.Kind.Learns() {
				main.wrong(place.Element("baselines", learnedAt(main, b.Kind))+".kind", fmt.Sprintf("%s %s", b.Kind, why), fix)
			}
		}
		if s.Sufficiency.Asks(Embeddings) {
			main.wrong("sufficiency", fmt.Sprintf("%s %s", Embeddings, why), fix+": extra = [\"output-stats\"]")
		}
		return
	}
}

// learnedAt is where the study writes a baseline of a kind.
func learnedAt(main *file, k baseline.Kind) int {
	return max(0, slices.IndexFunc(main.raw.Baselines, func(r rawBaseline) bool { return or(r.Kind, "") == k }))
}

// Facts reports whether recorded grades or costs are read, so that their columns are looked for.
func (s *Study) Facts() bool {
	return s.Cost.Model == cost.Recorded ||
		slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return d.Correct.Rule == task.Recorded })
}
