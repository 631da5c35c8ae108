package recorded

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/wording"
	"infnet/harness/calc"
	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// To turns a recorded answer into the answer to a request. labels are the classes of a
// classification, in the order of the request's labels. If the model gave no text, or a text that
// is not a label, the answer is a failure with the cause not-recorded. The error is for a record
// that contradicts itself or the data.
//
// A stated confidence is β. Without one, a classification reads it from the
// scores of its labels, or, where only tokens have log-probabilities, takes
// the geometric mean of the tokens' probabilities, and of a log-probability of
// the whole answer its own; a generation reads it from its tokens. Without any of these the answer has NoLogprobs.
func (a Row) To(req backends.Request, labels []dataset.Label) (backends.Answer, error) {
	out := backends.Answer{Key: req.Key(), Usage: backends.Believe(a.Usage, a.Text == "" && len(a.Tokens) == 0),
		Latency: a.Latency, Confidence: a.Confidence, Grade: a.Grade, Cost: a.Cost}
	if a.Fault != "" {
		return missing(out.Key, a.Fault), nil
	}
	if len(labels) > 0 {
		return a.choice(out, req, labels)
	}
	if !a.Said && len(a.Scores) > 0 && a.Grade != nil {
		return a.choiceAsText(out), nil
	}
	if !a.Said && a.Grade == nil {
		return out, fmt.Errorf("%s: labels are recorded and no text, but the dataset asks for texts", a.Place)
	}
	out.Text, out.Tokens, out.Finish = a.Text, slices.Clone(a.Tokens), a.Finish
	out.Whole = a.Whole
	out.NoLogprobs = len(out.Tokens) == 0 && out.Confidence == nil
	if a.Text == "" && a.Finish.Cut() { // the model did not end it itself
		cause, known := map[backends.Finish]backends.Cause{backends.FinishLength: backends.CutEmpty,
			"tool_calls": backends.ToolCall, "function_call": backends.ToolCall, "content_filter": backends.Refused,
			"refusal": backends.Refused}[a.Finish]
		if !known {
			cause = backends.NoContent
		}
		out = missing(out.Key, fmt.Sprintf("%s: the recorded answer has no text, and ended by %q", a.Place, a.Finish))
		out.Failure.Cause = cause
	}
	return out, nil
}

// choiceAsText is a graded choice among continuations where the dataset asks for texts: the most probable one, with
// its share of their probabilities as the confidence.
func (a Row) choiceAsText(out backends.Answer) backends.Answer {
	best := slices.MaxFunc(a.Scores, func(x, y Score) int { return cmp.Compare(x.Logprob, y.Logprob) })
	sum := 0.0
	for _, s := range a.Scores {
		sum += calc.Exp(s.Logprob - best.Logprob)
	}
	out.Text = best.Label
	if beta := 1 / sum; out.Confidence == nil && beta > 0 {
		out.Confidence = &beta
	}
	out.NoLogprobs = out.Confidence == nil
	return out
}

func missing(key backends.Key, why string) backends.Answer {
	return backends.Answer{Key: key, Failure: &backends.Failure{Cause: backends.NotRecorded, Message: why}}
}

func (a Row) choice(out backends.Answer, req backends.Request, labels []dataset.Label) (backends.Answer, error) {
	said := a.said(labels)
	if said < 0 && a.Labelled {
		return out, fmt.Errorf("%s: the label %q is none of the dataset's: %s", a.Place, a.Label, names(labels))
	}
	if said < 0 && a.Scores == nil {
		if said = other(labels); said < 0 || !a.Said && a.Grade == nil {
			return missing(out.Key, fmt.Sprintf("the recorded text %.60q is none of the labels %s", a.Text, names(labels))), nil
		}
	}
	out.Usage = backends.Believe(a.Usage, false)
	if out.Usage.Completion.IsZero() && !out.Usage.Prompt.IsZero() {
		out.Usage.Completion = backends.Counted(1)
	}
	out.Labels = make([]backends.LabelScore, len(labels))
	if a.Scores == nil {
		out.Labels[said].Seen = true
		out.Text = req.Labels[said]
		if n := float64(len(a.Tokens)); out.Confidence == nil && n > 0 {
			// The geometric mean of the tokens' probabilities. A log-probability that was recorded of the whole answer is the
			// label's, whatever the number of tokens: its end, or spaces around the label, may be counted among them.
			if a.Shared {
				n = 1
			}
			sum := 0.0
			for _, t := range a.Tokens {
				sum += min(0, t.Logprob)
			}
			beta := calc.Exp(sum / n)
			out.Confidence = &beta
		}
		out.NoLogprobs = out.Confidence == nil
		return out, nil
	}
	best, err := a.score(out.Labels, labels)
	if err != nil {
		return out, fmt.Errorf("%s: %w", a.Place, err)
	}
	if said >= 0 && said != best {
		if out.Labels[said] != out.Labels[best] {
			return out, fmt.Errorf("%s: the label is %q, but %q is more probable", a.Place, labels[said].Class,
				labels[best].Class)
		}
		// A tie, which readers give to the first: say which it was.
		out.Labels[said].Logprob = math.Nextafter(out.Labels[said].Logprob, math.Inf(1))
		best = said
	}
	out.Text = req.Labels[best]
	return out, nil
}

// said finds the class the model named; -1 where it named none. Texts are read as those of a server.
func (a Row) said(labels []dataset.Label) int {
	written := a.Label
	if !a.Labelled {
		if !a.Said || a.Scores != nil { // scores say more than a text does
			return -1
		}
		var words, classes []string
		for _, l := range labels {
			words, classes = append(words, l.Word), append(classes, l.Class)
		}
		for _, names := range [][]string{words, classes} {
			if r := wording.NewLabels(names).Read(a.Text); r.Label >= 0 {
				return r.Label
			}
		}
		if other(labels) >= 0 {
			return -1 // a number that the model said is no index of a class
		}
		written = strings.Trim(strings.TrimSpace(a.Text), ".\"'`*") // an index, which is no word of theirs
	}
	if k, ok := files.ClassIndex(labels)(written); ok {
		return k
	}
	return -1
}

// other is the class of answers that are none of the labels; -1 = there is none.
func other(labels []dataset.Label) int {
	return slices.IndexFunc(labels, func(l dataset.Label) bool { return l.Other })
}

// score fills in the labels' scores, and returns the most probable.
func (a Row) score(out []backends.LabelScore, labels []dataset.Label) (best int, err error) {
	if len(a.Scores) != len(labels) {
		return 0, fmt.Errorf("%d scores of labels, but the dataset has %s", len(a.Scores), names(labels))
	}
	find := files.ClassIndex(labels)
	byName := 0
	for _, s := range a.Scores {
		if _, ok := find(s.Label); ok && s.Label != "" {
			byName++
		}
	}
	for i, s := range a.Scores {
		k := i
		if byName > 0 {
			var ok bool
			if k, ok = find(s.Label); !ok {
				return 0, fmt.Errorf("a score of %q, which is none of %s", s.Label, names(labels))
			}
		}
		if out[k].Seen {
			return 0, fmt.Errorf("two scores of the label %q", labels[k].Class)
		}
		out[k] = backends.LabelScore{Logprob: s.Logprob, Seen: true}
	}
	for k, s := range out {
		if s.Logprob > out[best].Logprob {
			best = k
		}
	}
	if math.IsInf(out[best].Logprob, -1) {
		return 0, fmt.Errorf("none of the labels has a probability above 0")
	}
	return best, nil
}

func names(labels []dataset.Label) string {
	var out []string
	for _, l := range labels {
		if l.Word != l.Class {
			out = append(out, fmt.Sprintf("%s (%s)", l.Class, l.Word))
		} else {
			out = append(out, l.Class)
		}
	}
	return strings.Join(out, ", ")
}
