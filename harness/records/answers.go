package records

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/store"
)

// Answers are what one model answered to one dataset, in the dataset's order.
type Answers struct {
	Keys    []backends.Key
	given   packed
	causes  map[int]string // why an answer is missing
	samples *packed        // of every example as many, one after the other; nil = the model is asked once
}

// Len returns the number of examples.
func (a *Answers) Len() int { return len(a.given.start) }

// Has reports whether an example has an answer.
func (a *Answers) Has(i int) bool { return a.given.start[i] != absent }

// At returns an example's answer, the zero answer if it has none. Every call makes
// it anew.
func (a *Answers) At(i int) backends.Answer { return a.given.at(i, a.Keys[i], true) }

// Head returns an example's answer as At does, but for its key, what was recorded with
// it, its tokens and its labels: in a fraction of the time.
func (a *Answers) Head(i int) backends.Answer { return a.given.at(i, backends.Key{}, false) }

// Samples returns the samples of an example's answer, without their tokens; nil = it has none.
func (a *Answers) Samples(i int) []backends.Answer {
	if a.samples == nil || !a.Has(i) {
		return nil
	}
	n := len(a.samples.start) / a.Len()
	out := make([]backends.Answer, n)
	for k := range out {
		out[k] = a.samples.at(i*n+k, backends.Key{}, true)
	}
	return out
}

// Sampled reports whether every answer is that of several samples.
func (a *Answers) Sampled() bool { return a.samples != nil }

// Cause says why an example has no answer; "" = it has one.
func (a *Answers) Cause(i int) string { return a.causes[i] }

// Unscored reports whether an answer has no log-probabilities.
func (a *Answers) Unscored(i int) bool { return a.given.bits(i)&unscored != 0 }

// States reports whether an answer states its own confidence.
func (a *Answers) States(i int) bool { return a.given.bits(i)&confident != 0 }

// Causes of answers that are missing without a recorded failure.
const (
	NotCollected = "not-collected" // not asked for yet
	Torn         = "torn-line"     // it was in a line of the store that is torn
)

// AnswersID names a model and a dataset.
type AnswersID struct{ Model, Dataset string }

// Table is every answer of a study: read once, shared by its cascades.
type Table map[AnswersID]*Answers

// Read reads the answers of every model to every dataset of its cascades.
func Read(ctx context.Context, in Input) (Table, error) {
	t := Table{}
	for _, c := range in.Study.Asked() {
		for _, d := range c.Datasets {
			for _, m := range c.Models {
				id := AnswersID{m, d}
				if t[id] != nil {
					continue
				}
				a, err := readAnswers(ctx, in, m, d)
				if err != nil {
					return nil, fmt.Errorf("answers of %s to %s: %w", m, d, err)
				}
				t[id] = a
			}
		}
	}
	return t, nil
}

func readAnswers(ctx context.Context, in Input, model, dataset string) (*Answers, error) {
	m, _ := in.Study.Model(model)
	sheet := in.Sheets[dataset]
	id := in.Facts[model].ID
	stored, err := in.Store.Answers(store.ID{Model: id, Dataset: in.Sources[dataset], Name: dataset})
	if err != nil {
		return nil, err
	}
	defer stored.Close()
	n := sheet.Len()
	out := &Answers{Keys: make([]backends.Key, n), causes: map[int]string{}}
	if m.Samples != nil {
		out.samples = &packed{}
	}
	get := func(key backends.Key) (backends.Answer, bool, error) {
		found, ok, err := stored.Get(key)
		return found.Answer, ok, err
	}
	for i := range n {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found, err := sheet.Given(i, id, m, get)
		if err != nil {
			return nil, err
		}
		out.Keys[i] = found.Key
		switch {
		case found.Lacks != nil:
			if out.causes[i], err = unanswered(stored, *found.Lacks); err != nil {
				return nil, err
			}
		case sheet.Lacking(found.Answer) != "":
			out.causes[i] = string(sheet.Lacking(found.Answer))
		}
		if !sheet.Minds() {
			unread(&found.Answer)
			for k := range found.Samples {
				unread(&found.Samples[k])
			}
		}
		there := out.causes[i] == ""
		out.given.add(found.Key, only(there, &found.Answer))
		for k := 0; m.Samples != nil && k < m.Samples.N; k++ {
			var one backends.Answer
			if there {
				one = found.Samples[k]
				one.Tokens = nil
			}
			out.samples.add(one.Key, only(there, &one))
		}
	}
	out.given.close()
	if out.samples != nil {
		out.samples.close()
	}
	return out, nil
}

// only is an answer that counts; nil = it does not.
func only(there bool, a *backends.Answer) *backends.Answer {
	if there {
		return a
	}
	return nil
}

// unread drops the thoughts that nobody looks at: their tokens are in the completion, where that is known.
func unread(a *backends.Answer) {
	if _, known := a.Usage.Completion.Known(); known {
		a.Thoughts = ""
	}
}

// unanswered says why an answer is missing in the store.
func unanswered(stored *store.Answers, key backends.Key) (string, error) {
	if stored.Lost(key) {
		return Torn, nil
	}
	if f, ok, err := stored.Failure(key); err != nil {
		return "", err
	} else if ok {
		return string(f.Failure.Cause), nil
	}
	return NotCollected, nil
}

// Hash returns the SHA-256 of the sorted keys of all answers, hexadecimal.
func (t Table) Hash() string {
	var keys []backends.Key
	for _, a := range t {
		for i, key := range a.Keys {
			if a.Has(i) {
				keys = append(keys, key)
			}
		}
	}
	slices.SortFunc(keys, func(a, b backends.Key) int { return slices.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, k := range slices.Compact(keys) {
		h.Write(k[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Gap is a cascade's dataset of which more records lack an answer than the
// study allows.
type Gap struct {
	Cascade, Dataset string
	Records, Lost    int
	Missing          string // by model and cause
}

// Gaps returns the gaps in a study's stored answers. They make its results
// incomplete.
func Gaps(ctx context.Context, in Input) (out []Gap, err error) {
	t, err := Read(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, c := range in.Study.Asked() {
		for _, d := range c.Datasets {
			g, causes, lost := Gap{Cascade: c.Name, Dataset: d}, map[string]int{}, map[int]bool{}
			for _, m := range c.Models {
				answers := t[AnswersID{m, d}]
				g.Records = answers.Len()
				for i := range g.Records {
					if !answers.Has(i) {
						lost[i] = true
						causes[m+" "+answers.Cause(i)]++
					}
				}
			}
			var parts []string
			for what, n := range causes {
				parts = append(parts, fmt.Sprintf("%s ×%d", what, n))
			}
			slices.Sort(parts)
			g.Lost, g.Missing = len(lost), strings.Join(parts, "; ")
			if float64(g.Lost) > in.Study.Collect.MaxMissing*float64(g.Records) {
				out = append(out, g)
			}
		}
	}
	return out, nil
}
