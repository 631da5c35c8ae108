package spec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
	"infnet/metrics"
)

// generation checks how an answer is written.
func (c *gradeCheck) generation() {
	r, d := c.raw, &c.out
	if c.out.classification() {
		if r.MaxTokens != nil {
			c.wrong("max_tokens", "a classification generates no tokens", "leave it out")
		}
		if r.Stop != nil {
			c.wrong("stop", "a classification generates no tokens", "leave it out")
		}
		if r.Answer != nil {
			c.wrong("answer", "a classification's answer is a label, and no part of a reply", "leave it out")
		}
		return
	}
	tokens := task.DefaultsOf(d.Task).MaxTokens
	if c.builtin != nil {
		tokens = c.builtin.MaxTokens
	}
	d.MaxTokens = or(r.MaxTokens, tokens)
	d.Stop, d.Answer = slices.Clone(r.Stop), slices.Clone(r.Answer)
	for i, s := range r.Stop {
		if s == "" {
			c.wrong("stop", fmt.Sprintf("stop[%d] is empty: it would end every answer at once", i), "leave it out")
		}
	}
}

// correct checks the rule by which answers are right.
func (c *gradeCheck) correct() {
	raw, file, at := c.raw.Correct, c.file, place.Join(c.at, "correct")
	if raw == nil && (!c.out.classification() || (*datasetCheck)(c).graded()) {
		raw, file, at = c.main.raw.Correct, c.main, "correct"
		if raw != nil && raw.first("") == task.Cosine && c.study.wordingStandsIn() {
			raw = nil // no measure of meaning: the task's own rule replaces it too
		}
	}
	if raw == nil {
		raw = &rawCorrect{}
	}
	usual := task.DefaultsOf(c.out.Task).Rule
	if c.out.Options != nil && !c.out.classification() {
		usual = task.Choice
	}
	rule := raw.first(usual)
	c.out.Correct.Rule = rule
	if !rule.Fits(c.out.Task) {
		hint := "want one of exact-match, token-f1, rouge-l, cosine, number, math, choice, contains, json, command, judge"
		if c.out.classification() {
			hint = "a classification's answer is right where its label is: leave the rule out"
		}
		file.wrong(place.Join(at, "rule"), fmt.Sprintf("the rule %s is not one for %s", rule, c.out.Task), hint)
		return
	}
	if rule == task.Cosine && !c.study.Embedder.Measures() {
		file.wrong(place.Join(at, "rule"),
			fmt.Sprintf("the rule cosine with the %s embedder: a number of shared n-grams is no measure of meaning, and a "+
				"threshold on it means nothing", c.study.Embedder.Kind),
			"use token-f1 or rouge-l (the cosine may still be one of the metrics), or an embedder that is a model: "+
				"[embedder] model = \"…\"")
	}
	c.several(raw, file, at)
	c.command(raw, file, at)
	c.judged(raw, file, at)
	if rule == task.Recorded {
		c.recorded(file, at)
	}
	c.threshold(raw, append(slices.Clone(raw.Rule), rule), file, at)
}

// threshold checks the score from which an answer is right.
func (c *gradeCheck) threshold(raw *rawCorrect, rules []task.Rule, file *file, at string) {
	d := &c.out.Correct
	stated := slices.ContainsFunc(rules, task.Rule.MayHaveTau)
	if usual := slices.ContainsFunc(rules, task.Rule.HasTau); usual || stated {
		if d.Soft = raw.Soft; d.Soft || usual {
			d.Tau = task.DefaultTau
		}
		d.Tau = or(raw.Tau, d.Tau)
		return
	}
	if raw.Tau != nil {
		file.wrong(place.Join(at, "tau"), fmt.Sprintf("the rule %s has no threshold", d.Rule),
			"leave tau out, or set rule = \"token-f1\"")
	}
	if raw.Soft {
		file.wrong(place.Join(at, "soft"), fmt.Sprintf("the rule %s says right or wrong, and nothing between", d.Rule),
			"leave soft out, or set rule = \"token-f1\"")
	}
}

// first is the first rule of a list, or the task's own.
func (r *rawCorrect) first(usual task.Rule) task.Rule {
	if len(r.Rule) == 0 {
		return usual
	}
	return r.Rule[0]
}

// several checks a list of rules, and the tolerance of number.
func (c *gradeCheck) several(raw *rawCorrect, file *file, at string) {
	c.out.Correct.Tolerance = raw.Tolerance
	if raw.Tolerance > 0 && !slices.Contains(raw.Rule, task.Number) {
		file.wrong(place.Join(at, "tolerance"), "it is about the rule number, which is not asked", "leave it out")
	}
	if len(raw.Rule) < 2 {
		return
	}
	c.out.Correct.Then = slices.Clone(raw.Rule[1:])
	for _, r := range raw.Rule {
		if !r.Joins() {
			file.wrong(at, fmt.Sprintf("the rule %s decides every answer, or rests on vectors: it cannot be one of several", r),
				"name it alone, or leave it out")
		}
	}
	if raw.Soft {
		file.wrong(place.Join(at, "soft"), "several rules have no common score", "leave soft out, or name one rule")
	}
}

// usualSilence is how long a program that grades may write nothing.
const usualSilence = time.Minute

// command checks the program that grades.
func (c *gradeCheck) command(raw *rawCorrect, file *file, at string) {
	if !slices.Contains(raw.Rule, task.Command) {
		const why, fix = "it is about the rule command, which is not asked", "set rule = \"command\", or leave it out"
		if raw.Command != nil {
			file.wrong(place.Join(at, "command"), why, fix)
		}
		if raw.Timeout != nil {
			file.wrong(place.Join(at, "timeout"), why, fix)
		}
		return
	}
	if slices.Contains(raw.Command, "") {
		file.wrong(place.Join(at, "command"), "a word is empty", "leave it out")
	} else if len(raw.Command) == 0 {
		file.missing(at, "command", "the rule command runs a program: correct = { rule = \"command\", command = "+
			"[\"python3\", \"grade.py\"] }")
	}
	d := &c.out.Correct
	d.Command, d.Dir, d.Timeout = slices.Clone(raw.Command), filepath.Dir(file.name), or(raw.Timeout, usualSilence)
	if c.study.Policy.Setting == policy.Oracle {
		file.wrong(place.Join(at, "rule"), "oracle compares answers with the master's, and a program compares none: it "+
			"grades each by itself", "leave policy.setting out, or name another rule")
	}
}

// metrics checks which scores the tables show.
func (c *gradeCheck) metrics() {
	d := &c.out
	d.Metrics = slices.Clone(c.raw.Metrics)
	if c.raw.Metrics == nil {
		d.Metrics = task.DefaultsOf(d.Task).Metrics
		if (*datasetCheck)(c).graded() || (*datasetCheck)(c).free() && c.raw.Reference == nil && c.builtin == nil {
			d.Metrics = []metrics.Name{metrics.Accuracy}
		}
		return
	}
	if len(d.Metrics) == 0 {
		c.wrong("metrics", "the list is empty: the tables would have nothing to show", "leave it out for the task's own")
	}
	valid := metricsOf(d.Task)
	if (*datasetCheck)(c).free() && !c.out.classification() {
		valid = append([]metrics.Name{metrics.Accuracy}, valid...)
	}
	for i, m := range d.Metrics {
		key := c.at + "." + place.Element("metrics", i)
		if !slices.Contains(valid, m) {
			c.file.wrong(key, fmt.Sprintf("%s is no score of %s", m, d.Task), "want of "+listed(valid))
		} else if m == metrics.BARTScore {
			c.scored(key)
		} else if m == metrics.F1Binary && len(d.Labels) > 2 {
			c.file.wrong(key, fmt.Sprintf("%s of %d classes: it is the F1 of the second of two", m, len(d.Labels)),
				"use f1-macro")
		}
	}
	c.unreferenced()
}

// metricsOf lists the scores that mean something for a task.
func metricsOf(k task.Kind) []metrics.Name {
	var out []metrics.Name
	for _, m := range metrics.All() {
		if (m.Input == metrics.Classes) == (k == task.Classification) {
			out = append(out, m.Name)
		}
	}
	return out
}

func listed[T ~string](names []T) string {
	var out []string
	for _, n := range names {
		out = append(out, string(n))
	}
	return strings.Join(out, ", ")
}
