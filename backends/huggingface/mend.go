package huggingface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/strictjson"
	"infnet/harness/calc"
)

// unusable is a response that says nothing that can be trusted.
func unusable(format string, args ...any) error {
	return &backends.Failure{Cause: backends.BadResponse,
		Message: "the server's answer cannot be used: " + fmt.Sprintf(format, args...)}
}

// sequence is a classification as go-huggingface reads it.
type sequence struct {
	Sequence string     `json:"sequence"`
	Labels   []string   `json:"labels"`
	Scores   []*float64 `json:"scores"`
}

// scored is one label of the present form.
type scored struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
}

// span is an extracted answer.
type span struct {
	Answer *string  `json:"answer"`
	Score  *float64 `json:"score"`
	Start  int      `json:"start"`
	End    int      `json:"end"`
}

// mend brings a response into the form that go-huggingface reads. Without, it
// would take the present form of classifications for empty ones, without an
// error.
func mend(task backends.HuggingFaceTask, body []byte) ([]byte, error) {
	if !json.Valid(body) {
		var v any
		err := json.Unmarshal(body, &v)
		if err == nil {
			err = errors.New("no JSON")
		}
		return nil, unusable("%v", err)
	}
	if message := errorText(body); message != "" {
		return nil, unusable("it says %q", message)
	}
	if task == backends.ExtractiveQA {
		return mendAnswer(body)
	}
	return mendClasses(body)
}

// mendClasses reads, in the order tried:
//
//	[{"label": l, "score": s}, …]                         the present form
//	[[{"label": l, "score": s}, …]]                       the same for a list of texts
//	{"sequence": t, "labels": [l, …], "scores": [s, …]}   dedicated endpoints: the pipeline's own
//	[{"sequence": t, "labels": [l, …], "scores": [s, …]}] the same for a list of texts
func mendClasses(body []byte) ([]byte, error) {
	var lists [][]scored
	if json.Unmarshal(body, &lists) == nil {
		if err := strict(body, &lists); err != nil {
			return nil, err
		}
		if len(lists) != 1 {
			return nil, unusable("it answers %d texts where one was sent", len(lists))
		}
		return fromScored(lists[0])
	}
	var list []json.RawMessage
	if json.Unmarshal(body, &list) != nil {
		list = []json.RawMessage{body}
	}
	if len(list) == 0 {
		return nil, unusable("it is empty")
	}
	var first map[string]json.RawMessage
	if err := json.Unmarshal(list[0], &first); err != nil {
		return nil, unusable("it is no classification: %.100q", body)
	}
	if _, ok := first["label"]; ok {
		var s []scored
		if err := strict(bytes.Join([][]byte{[]byte("["), bytes.Join(raw(list), []byte(",")), []byte("]")}, nil),
			&s); err != nil {
			return nil, err
		}
		return fromScored(s)
	}
	if len(list) != 1 {
		return nil, unusable("it answers %d texts where one was sent", len(list))
	}
	var s sequence
	if err := strict(list[0], &s); err != nil {
		return nil, err
	}
	return fromSequence(s)
}

func raw(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, r := range list {
		out[i] = r
	}
	return out
}

func strict(b []byte, v any) error {
	if err := strictjson.Unmarshal(b, v); err != nil {
		return unusable("%v", err)
	}
	return nil
}

func fromScored(list []scored) ([]byte, error) {
	var s sequence
	for i, x := range list {
		if x.Label == nil || x.Score == nil {
			return nil, unusable("entry %d of %d lacks its label or its score", i+1, len(list))
		}
		s.Labels = append(s.Labels, *x.Label)
		s.Scores = append(s.Scores, x.Score)
	}
	return fromSequence(s)
}

func fromSequence(s sequence) ([]byte, error) {
	if len(s.Labels) == 0 || len(s.Labels) != len(s.Scores) {
		return nil, unusable("it has %d labels and %d scores", len(s.Labels), len(s.Scores))
	}
	for i, x := range s.Scores {
		if x == nil {
			return nil, unusable("the score of label %q is null", s.Labels[i])
		}
	}
	return json.Marshal([]sequence{s})
}

// mendAnswer reads {"answer", "score", …}, or a list of them, of which the
// first with the highest score is the answer.
func mendAnswer(body []byte) ([]byte, error) {
	var list []span
	if json.Unmarshal(body, &list) == nil {
		if err := strict(body, &list); err != nil {
			return nil, err
		}
	} else {
		list = make([]span, 1)
		if err := strict(body, &list[0]); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, unusable("it is empty")
	}
	best := 0
	for i, s := range list {
		if s.Answer == nil || s.Score == nil {
			return nil, unusable("answer %d of %d lacks its text or its score", i+1, len(list))
		}
		if *s.Score > *list[best].Score {
			best = i
		}
	}
	return json.Marshal(list[best])
}

// within refuses a span that is not in its passage. Places are counted in
// characters.
func within(passage, answer string, start, end int) error {
	if n := utf8.RuneCountInString(passage); start < 0 || end < start || end > n {
		return unusable("its answer spans %d to %d of a passage of %d characters", start, end, n)
	}
	if !strings.Contains(passage, strings.TrimSpace(answer)) {
		return unusable("its answer %.80q is not in the passage", answer)
	}
	return nil
}

// slack is how far scores may be from what they should be: servers round, some
// to four digits.
const slack = 1e-3

// logScore is the natural logarithm of a score in [0,1].
func logScore(s float64) (float64, error) {
	if math.IsNaN(s) || s < 0 || s > 1+slack {
		return 0, unusable("the score %v is no probability", s)
	}
	return calc.Log(min(s, 1)), nil
}

// scoresOf brings the server's scores into the order of the labels asked for,
// and says which is the largest (of equals the first asked for). Every label
// must be there once, no other, and the scores must sum to 1.
func scoresOf(want, labels []string, scores []float64) ([]backends.LabelScore, int, error) {
	if len(labels) != len(want) || len(scores) != len(want) {
		return nil, 0, unusable("it has %d labels and %d scores, %d labels were asked for", len(labels), len(scores),
			len(want))
	}
	at := make(map[string]int, len(want))
	for i, l := range want {
		at[l] = i
	}
	out := make([]backends.LabelScore, len(want))
	sum := 0.0
	for i, l := range labels {
		k, ok := at[l]
		if !ok {
			return nil, 0, unusable("it scores %.80q, which was not asked for", l)
		}
		if out[k].Seen {
			return nil, 0, unusable("it scores %.80q twice", l)
		}
		lp, err := logScore(scores[i])
		if err != nil {
			return nil, 0, err
		}
		out[k] = backends.LabelScore{Logprob: lp, Seen: true}
		sum += scores[i]
	}
	if math.Abs(sum-1) > slack {
		return nil, 0, unusable("the scores of the %d labels sum to %.4f, not to 1: the server scores each label by "+
			"itself (multi_label), so they are no distribution", len(want), sum)
	}
	best := 0
	for k, s := range out {
		if s.Logprob > out[best].Logprob {
			best = k
		}
	}
	return out, best, nil
}
