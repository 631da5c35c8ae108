package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"infnet/backends"
	"infnet/harness/fault"
	"infnet/harness/recorded"
	"infnet/harness/task"
)

// recordedRevision identifies recorded answers: the file's content, the meaning of its columns, and the
// column of the data that they are joined on.
func recordedRevision(m *Model) (string, error) {
	content, err := contentHash(m.study, m.Recording.File)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "infnet replay 1\n%s\n%q\n%q\n%q\n", content, "auto", "", m.Recording.Columns)
	for _, d := range m.study.Datasets {
		if m.answersFor(d) {
			fmt.Fprintf(h, "%q %q\n", d.Name, d.IDColumn)
		}
	}
	if a := m.Recording; a.ModelIn != "" || a.Ties {
		fmt.Fprintf(h, "of %q %q ties %v\n", "", a.ModelIn, a.Ties)
	}
	if f := recordedFacts(m); f != (recorded.Facts{}) {
		fmt.Fprintf(h, "facts {Wanted:%v Correct:%s Score:%s Cost:%s Currency:%s LatencyMS:%s CachedTokens:%s "+
			"ReasoningTokens:%s PreferScore:%v In:%s NullIsLow:true CachedApart:false ReasoningApart:false}\n", f.Wanted,
			f.Correct, f.Score, f.Cost, f.Currency, f.LatencyMS, f.CachedTokens, f.ReasoningTokens, f.PreferScore, f.In)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// recordedFacts say how grades and costs are read. They are the zero value for a study that reads none.
func recordedFacts(m *Model) recorded.Facts {
	f := recorded.Facts{AnswerFacts: m.Recording.Facts, Wanted: m.study.Spec.Facts()}
	for _, d := range m.study.Datasets {
		if m.answersFor(d) && d.Correct.Rule == task.Recorded && d.Correct.Tau > 0 {
			f.PreferScore = true
		}
	}
	if f.Wanted || f.Cost != "" {
		f.In = m.Currency
	}
	return f
}

// joined joins the model's recorded answers to the study's requests by example id.
func joined(m *Model) (*backends.ReplayConfig, error) {
	a := m.Recording
	o := recorded.Options{
		Path: a.File, FS: m.study.Spec.FS, Columns: a.Columns, Facts: recordedFacts(m), Of: m.known.ID.ID, ModelIn: a.ModelIn,
	}
	var asked []recorded.Asked
	for _, d := range m.study.Datasets {
		if m.answersFor(d) {
			o.IDColumn = d.IDColumn
		}
		if m.canAnswer(d) {
			asked = append(asked, recorded.Asked{Name: d.Name, Source: d.Source.Name, IDColumn: d.IDColumn,
				Examples: d.Sheet.Set.Examples, Labels: d.Labels, Rule: d.Correct.Rule, Tau: d.Correct.Tau,
				Defers: m.defersOn(d), Request: func(i int) backends.Request { return m.request(d, i) }})
		}
	}
	tape, err := recorded.Join(context.Background(), o, asked, recorded.Needs{
		Generation: m.study.Spec.Confidence.Generation, Cost: m.study.Spec.Cost.Model, Ties: a.Ties,
		Warn: func(message string, about ...any) {
			m.study.events.Warn(message, append([]any{"model", m.Name}, about...)...)
		}})
	if err != nil {
		return nil, fault.Data.Wrap(m.placed(fmt.Errorf("model %s: answers %w", m.Name, err)))
	}
	return &backends.ReplayConfig{Source: a.File, Answers: tape}, nil
}
