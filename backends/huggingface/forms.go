package huggingface

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
	"infnet/harness/calc"
)

// shape gives a request the form that servers document today: one text instead
// of a list, no empty options.
func (m *Model) shape(sent []byte) ([]byte, error) {
	var body struct {
		Inputs     json.RawMessage            `json:"inputs"`
		Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	}
	if err := json.Unmarshal(sent, &body); err != nil {
		return nil, err
	}
	var texts []json.RawMessage
	if json.Unmarshal(body.Inputs, &texts) == nil && len(texts) == 1 {
		body.Inputs = texts[0]
	}
	return json.Marshal(body)
}

type sequence struct {
	Labels []string   `json:"labels"`
	Scores []*float64 `json:"scores"`
}

type classes struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
	sequence
}

type span struct {
	Answer *string  `json:"answer"`
	Score  *float64 `json:"score"`
	Start  int      `json:"start"`
	End    int      `json:"end"`
}

// readable brings a reply into the form that go-huggingface reads. Without, it would take the present form of
// classifications for empty ones, without an error.
func (m *Model) readable(reply *wire.Reply) ([]byte, *backends.Failure) {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(reply.Body, &e) == nil && httpfailure.Says(e.Error) {
		return nil, httpfailure.Success(reply.Body)
	}
	read := mendClasses
	if m.cfg.Task == backends.ExtractiveQA {
		read = mendAnswer
	}
	v, f := read(reply)
	if f != nil {
		return nil, f
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, unusable("%v", err)
	}
	return body, nil
}

func lists(body []byte) (n int) {
	const blanks = " \t\r\n"
	for rest := bytes.TrimLeft(body, blanks); bytes.HasPrefix(rest, []byte("[")); n++ {
		rest = bytes.TrimLeft(rest[1:], blanks)
	}
	return n
}

// mendClasses reads
//
//	[{"label": l, "score": s}, …]                         the present form
//	[[{"label": l, "score": s}, …]]                       the same for a list of texts
//	{"sequence": t, "labels": [l, …], "scores": [s, …]}   dedicated endpoints: the pipeline's own
//	[{"sequence": t, "labels": [l, …], "scores": [s, …]}] the same for a list of texts
func mendClasses(reply *wire.Reply) (any, *backends.Failure) {
	texts := make([][]classes, 1)
	var into any = &texts
	switch lists(reply.Body) {
	case 0:
		texts[0] = make([]classes, 1)
		into = &texts[0][0]
	case 1:
		into = &texts[0]
	}
	if f := reply.JSON(into); f != nil {
		return nil, f
	}
	if len(texts) != 1 {
		return nil, unusable("it answers %d texts where one was sent", len(texts))
	}
	var s sequence
	for i, c := range texts[0] {
		if c.Labels != nil || c.Scores != nil {
			if len(texts[0]) != 1 {
				return nil, unusable("it answers %d texts where one was sent", len(texts[0]))
			}
			s = c.sequence
			break
		}
		if c.Label == nil || c.Score == nil {
			return nil, unusable("entry %d of %d lacks its label or its score", i+1, len(texts[0]))
		}
		s.Labels, s.Scores = append(s.Labels, *c.Label), append(s.Scores, c.Score)
	}
	if len(s.Labels) == 0 || len(s.Labels) != len(s.Scores) {
		return nil, unusable("it has %d labels and %d scores", len(s.Labels), len(s.Scores))
	}
	for i, x := range s.Scores {
		if x == nil {
			return nil, unusable("the score of label %q is null", s.Labels[i])
		}
	}
	return []sequence{s}, nil
}

// mendAnswer reads {"answer", "score", …}, or a list of them, of which the
// first with the highest score is the answer.
func mendAnswer(reply *wire.Reply) (any, *backends.Failure) {
	spans := make([]span, 1)
	var into any = &spans
	if lists(reply.Body) == 0 {
		into = &spans[0]
	}
	if f := reply.JSON(into); f != nil {
		return nil, f
	}
	if len(spans) == 0 {
		return nil, unusable("it is empty")
	}
	best := spans[0]
	for i, s := range spans {
		if s.Answer == nil || s.Score == nil {
			return nil, unusable("answer %d of %d lacks its text or its score", i+1, len(spans))
		}
		if *s.Score > *best.Score {
			best = s
		}
	}
	return best, nil
}

// within refuses a span that is not in its passage. Places are counted in
// characters.
func within(passage, answer string, start, end int) *backends.Failure {
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

func logScore(s float64) (float64, *backends.Failure) {
	if math.IsNaN(s) || s < 0 || s > 1+slack {
		return 0, unusable("the score %v is no probability", s)
	}
	return calc.Log(min(s, 1)), nil
}

// scoresOf brings the server's scores into the order of the labels asked for,
// and says which is the largest (of equals the first asked for). Every label
// must be there once, no other, and the scores must sum to 1.
func scoresOf(want, labels []string, scores []float64) ([]backends.LabelScore, int, *backends.Failure) {
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
		lp, f := logScore(scores[i])
		if f != nil {
			return nil, 0, f
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
