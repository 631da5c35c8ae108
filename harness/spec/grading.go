package spec

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"infnet/harness/choice"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
	"infnet/metrics"
)

// written is the table that says when an answer to the dataset is right, and where it stands: the dataset's own, else
// the study's; a classification's is its own label, unless grades are recorded.
func (c *datasetCheck) written() (raw Correct, f *file, at string) {
	if c.has("correct") {
		return c.dataset().Correct, c.file, place.Join(c.at, "correct")
	}
	if r := c.main.raw.Correct; r != nil {
		return *r, c.main, "correct"
	}
	return Correct{}, c.file, place.Join(c.at, "correct")
}

func (c *datasetCheck) rules() []task.Rule {
	raw, _, _ := c.written()
	return raw.Rules
}

func (c *datasetCheck) graded() bool { return len(c.rules()) > 0 && c.rules()[0] == task.Recorded }

// free reports whether the dataset's answers are graded without a reference.
func (c *datasetCheck) free() bool {
	return c.graded() || slices.Equal(c.rules(), []task.Rule{task.Command}) && !c.out.classification()
}

// correct checks the rule by which answers are right, and how an answer is written.
func (c *gradeCheck) correct() {
	all := (*datasetCheck)(c)
	raw, file, at := all.written()
	if shared := at == "correct"; shared && (c.out.classification() && !all.graded() ||
		slices.Equal(raw.Rules[:min(1, len(raw.Rules))], []task.Rule{task.Cosine}) && c.study.wordingStandsIn()) {
		raw = Correct{} // no measure of meaning: the task's own rule replaces it too
	}
	usual := task.DefaultsOf(c.out.Task)
	if !c.out.classification() && !c.has("max_tokens") {
		if c.out.MaxTokens = usual.MaxTokens; c.builtin != nil {
			c.out.MaxTokens = c.builtin.MaxTokens
		}
	}
	if i := slices.Index(c.out.Stop, ""); i >= 0 {
		c.wrong("stop", fmt.Sprintf("stop[%d] is empty: it would end every answer at once", i), "leave it out")
	}
	d := &c.out.Correct
	if *d = raw; len(d.Rules) == 0 {
		if d.Rules = []task.Rule{usual.Rule}; c.out.Options != nil && !c.out.classification() {
			d.Rules[0] = task.Choice
		}
	}
	if d.Rule = d.Rules[0]; len(d.Rules) > 1 {
		d.Then = slices.Clone(d.Rules[1:])
	}
	wrong := func(key, message, hint string) { file.wrong(place.Join(at, key), message, hint) }
	if !d.Rule.Fits(c.out.Task) {
		hint := "want one of exact-match, token-f1, rouge-l, cosine, number, math, choice, contains, json, command, judge"
		if c.out.classification() {
			hint = "a classification's answer is right where its label is: leave the rule out"
		}
		wrong("rule", fmt.Sprintf("the rule %s is not one for %s", d.Rule, c.out.Task), hint)
		return
	}
	if d.Rule == task.Cosine && !c.study.Embedder.Measures() {
		wrong("rule", fmt.Sprintf("the rule cosine with the %s embedder: a number of shared n-grams is no measure of "+
			"meaning, and a threshold on it means nothing", c.study.Embedder.Kind),
			"use token-f1 or rouge-l (the cosine may still be one of the metrics), or an embedder that is a model: "+
				"[embedder] model = \"…\"")
	}
	for _, r := range d.Rules {
		if len(d.Then) > 0 && !r.Joins() {
			file.wrong(at, fmt.Sprintf("the rule %s decides every answer, or rests on vectors: it cannot be one of several", r),
				"name it alone, or leave it out")
		}
	}
	if slices.Contains(d.Rules, task.Command) {
		d.Timeout = cmp.Or(d.Timeout, time.Minute)
		d.Dir = filepath.Dir(file.name)
		if key := place.Join(at, "command"); !file.text.Has(key) {
			file.missing(at, "command", "correct = { rule = \"command\", command = [\"python3\", \"grade.py\"] }")
		} else if len(d.Command) == 0 || slices.Contains(d.Command, "") {
			wrong("command", "a word of the program is missing", "command = [\"python3\", \"grade.py\"]")
		}
		if c.study.Policy.Setting == policy.Oracle {
			wrong("rule", "oracle compares answers with the master's, and a program compares none: it grades each by itself",
				"leave policy.setting out, or name another rule")
		}
	}
	if slices.Contains(d.Rules, task.Judge) {
		c.judged(d, wrong)
	}
	if d.Rule == task.Recorded {
		c.recorded(wrong)
	}
	c.threshold(wrong)
}

func (c *gradeCheck) threshold(wrong func(key, message, hint string)) {
	d := &c.out.Correct
	usual := slices.ContainsFunc(d.Rules, task.Rule.HasTau)
	if len(d.Then) > 0 && d.Soft {
		wrong("soft", "several rules have no common score", "leave soft out, or name one rule")
	}
	if usual || slices.ContainsFunc(d.Rules, task.Rule.MayHaveTau) {
		if usual || d.Soft {
			d.Tau = cmp.Or(d.Tau, task.DefaultTau)
		}
		return
	}
	if d.Tau > 0 {
		wrong("tau", fmt.Sprintf("the rule %s has no threshold", d.Rule), "leave tau out, or set rule = \"token-f1\"")
	}
	if d.Soft {
		wrong("soft", fmt.Sprintf("the rule %s says right or wrong, and nothing between", d.Rule),
			"leave soft out, or set rule = \"token-f1\"")
	}
}

func (c *gradeCheck) judged(d *Correct, wrong func(key, message, hint string)) {
	j := c.main.raw.Judge
	switch {
	case j == nil:
		wrong("rule", "the rule judge asks a model, and the study names none", `[judge] model = "…"`)
	case slices.Contains(d.Rules, task.Command):
		wrong("rule", "a program and a judge in one list: both decide what words cannot", "leave one of them out")
	case c.study.Policy.Guarantee != nil && (j.HumanText == "" || c.study.Policy.Setting == policy.Oracle):
		wrong("rule", "a guarantee rests on grades that are right, and a judge's may not be",
			"name a file of human grades, [judge] human, of which alone it is then made; or leave the guarantee out")
	}
}

func (c *gradeCheck) recorded(wrong func(key, message, hint string)) {
	d := &c.out
	if c.builtin != nil {
		wrong("rule", fmt.Sprintf("%s is generated, and nobody has recorded answers to it", d.Source.Text),
			"name the file of the questions: source = \"file:questions.jsonl\"")
	}
	if d.Split.Stratify && d.LabelColumn == "" {
		c.wrong("correct", "the split is stratified by the reference's class, and no reference is named",
			"leave stratify out, or name the column: label = …")
	}
}

func (c *gradeCheck) metrics() {
	d, all := &c.out, (*datasetCheck)(c)
	if !c.has("metrics") {
		d.Metrics = task.DefaultsOf(d.Task).Metrics
		if all.graded() || all.free() && !c.has("reference") && c.builtin == nil {
			d.Metrics = []metrics.Name{metrics.Accuracy}
		}
		return
	}
	var valid []metrics.Name // those that mean something for the task
	if all.free() && !d.classification() {
		valid = append(valid, metrics.Accuracy)
	}
	for _, m := range metrics.All() {
		if (m.Input == metrics.Classes) == d.classification() {
			valid = append(valid, m.Name)
		}
	}
	for i, m := range d.Metrics {
		key := c.at + "." + place.Element("metrics", i)
		if !slices.Contains(valid, m) {
			c.file.wrong(key, fmt.Sprintf("%s is no score of %s", m, d.Task), "want of "+choice.List(valid))
		} else if m == metrics.BARTScore {
			c.scored(key)
		} else if m == metrics.F1Binary && len(d.Labels) > 2 {
			c.file.wrong(key, fmt.Sprintf("%s of %d classes: it is the F1 of the second of two", m, len(d.Labels)),
				"use f1-macro")
		}
	}
	if all.free() && c.builtin == nil && d.LabelColumn == "" && d.ReferenceColumn == "" {
		c.unreferenced()
	}
}

func (c *gradeCheck) scored(key string) {
	switch {
	case c.main.raw.Scorer == nil, c.study.instead(ScorerRole, NoScorer):
		c.file.wrong(key, "bartscore is what a scorer says, and the study has none",
			`[scorer] model = "…", a model whose backend is bart`)
	case c.study.Policy.Setting == policy.Oracle:
		c.file.wrong(key, "bartscore in the oracle setting would hold every answer against the master's, which nobody scored",
			"leave it out, or use the non-oracle setting")
	}
}

// unreferenced leaves out metrics that need a reference, where there is none.
func (c *gradeCheck) unreferenced() {
	out := slices.DeleteFunc(slices.Clone(c.out.Metrics), func(m metrics.Name) bool { return m == metrics.Accuracy })
	if len(out) == 0 {
		return
	}
	key := "reference"
	if c.out.classification() {
		key = "label"
	}
	c.file.warn(c.at+".metrics", fmt.Sprintf("%s left out: without a reference nothing can be computed but the grades",
		choice.And(out)), fmt.Sprintf("name the column of the right answers, %s = %[1]q, where there is one", key))
	c.out.Metrics = []metrics.Name{metrics.Accuracy}
}
