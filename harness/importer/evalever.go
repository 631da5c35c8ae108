package importer

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strconv"

	"infnet/harness/recorded"
	"infnet/harness/result"
)

// evalEverVersion is the version of the schema that is written.
const evalEverVersion = "0.3.0"

// WriteEvalEver writes the answers of one model to one dataset as instances of Every Eval Ever, one a line, and
// returns how many there are. Confidence and cost, which its schema has no place for, are metadata. A score is 1 less
// the error. Answers that are missing are left out.
func WriteEvalEver(w io.Writer, r *result.Results, records iter.Seq2[result.Record, error], model,
	dataset string) (int, error) {
	id, unit := model, ""
	for _, m := range r.Models {
		if m.Name == model && m.ID != "" {
			id = m.ID
		}
	}
	seen := map[string]bool{} // a record is in every cascade of the model
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for record, err := range records {
		if err != nil {
			return len(seen), err
		}
		if record.Dataset != dataset || seen[record.ID] {
			continue
		}
		for _, c := range r.Cascades {
			if c.Name == record.Cascade {
				unit = c.Unit
			}
		}
		for k, a := range record.Models {
			if a.Model != model || a.Cause != "" || a.Refused != "" || record.Part == result.PartUnused {
				continue
			}
			seen[record.ID] = true
			if err := e.Encode(instance(r, record, a, id, unit, k == len(record.Models)-1)); err != nil {
				return len(seen), err
			}
		}
	}
	if len(seen) == 0 {
		return 0, fmt.Errorf("the run has no answer of %s to %s", model, dataset)
	}
	return len(seen), nil
}

// instance is one answer. The last model of a cascade has a confidence only where it is one that means something.
func instance(r *result.Results, l result.Record, a result.RecordAnswer, id, unit string, last bool) recorded.EvalEver {
	score, text := 1-a.Error, a.Text
	if a.Class != "" {
		text = a.Class
	}
	references := l.References
	if l.Class != "" {
		references = []string{l.Class}
	}
	if references == nil {
		references = []string{}
	}
	out := recorded.EvalEver{
		Schema: evalEverVersion, Evaluation: fmt.Sprintf("%s/%s/%s", l.Dataset, id, r.Spec.SpecHash), Model: id,
		Name: l.Dataset, Sample: l.ID, Interaction: "single_turn",
		Input:  recorded.EvalEverInput{Raw: l.Prompt, Reference: references},
		Output: &recorded.EvalEverOutput{Raw: []string{text}},
		Extracted: []recorded.EvalEverAnswer{{Source: "output.raw", Value: text, Method: "custom",
			Final: true}},
		Grade:    recorded.EvalEverGrade{Score: &score, Correct: &a.Correct},
		Metadata: map[string]string{recorded.EvalEverPart: l.Part},
	}
	if a.Estimated == "" && (a.Prompted > 0 || a.Completed > 0) {
		out.Usage = &recorded.EvalEverUsage{Input: a.Prompted, Output: a.Completed, Total: a.Prompted + a.Completed}
	}
	if a.LatencySecs > 0 {
		ms := 1000 * a.LatencySecs
		out.Performance = &recorded.EvalEverTime{Latency: &ms}
	}
	if !last {
		out.Metadata[recorded.EvalEverConfidence] = strconv.FormatFloat(a.Beta, 'g', -1, 64)
	}
	if unit == "USD" || unit == "EUR" {
		out.Metadata[recorded.EvalEverCost] = strconv.FormatFloat(a.Cost, 'g', -1, 64)
		out.Metadata[recorded.EvalEverCurrency] = unit
	}
	return out
}
