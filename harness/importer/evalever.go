package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"infnet/harness/recorded"
	"infnet/harness/result"
)

// EvalEver writes the answers of one model to one dataset of a run as Every Eval Ever: instances, and the aggregate
// that describes them.
type EvalEver struct {
	Results        *result.Results
	Records        iter.Seq2[result.Record, error]
	Model, Dataset string
	Retrieved      int64 // when the results were written, in seconds since 1970
}

// evalEverVersion is the version of the schema that is written.
const evalEverVersion = "0.3.0"

// Instances writes the instances, one a line, and returns their aggregate. Confidence and cost, which the schema has no
// place for, are metadata. A score is 1 less the error. Answers that are missing are left out.
func (x *EvalEver) Instances(w io.Writer) (map[string]any, error) {
	seen := map[string]bool{} // a record is in every cascade of the model
	sum := sha256.New()
	w = io.MultiWriter(w, sum)
	var scores []float64
	// First the cascades in which other models follow, as there the model has the confidence that thresholds were
	// fitted to, then those that it ends.
	for _, last := range []bool{false, true} {
		if !slices.ContainsFunc(x.Results.Cascades, func(c result.Cascade) bool {
			k := slices.Index(c.Models, x.Model)
			return k >= 0 && (k == len(c.Models)-1) == last
		}) {
			continue
		}
		sure := !last || x.varies()
		for record, err := range x.Records {
			if err != nil {
				return nil, err
			}
			if record.Dataset != x.Dataset || seen[record.ID] || record.Part == result.PartUnused {
				continue
			}
			k := slices.IndexFunc(record.Models, func(a result.RecordAnswer) bool { return a.Model == x.Model })
			if k < 0 || (k == len(record.Models)-1) != last || record.Models[k].Cause != "" || record.Models[k].Refused != "" {
				continue
			}
			seen[record.ID] = true
			scores = append(scores, 1-record.Models[k].Error)
			line, err := asciiJSON(x.instance(record, record.Models[k], sure))
			if err == nil {
				_, err = w.Write(append(line, '\n'))
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("the run has no answer of %s to %s", x.Model, x.Dataset)
	}
	return x.log(scores, hex.EncodeToString(sum.Sum(nil))), nil
}

// varies reports whether the model has a confidence where it ends a cascade: a model without one has the same number
// everywhere.
func (x *EvalEver) varies() bool {
	first, n := 0.0, 0
	for record, err := range x.Records {
		if err != nil {
			return false // the next look says so
		}
		if record.Dataset != x.Dataset || record.Part == result.PartUnused || len(record.Models) == 0 {
			continue
		}
		a := record.Models[len(record.Models)-1]
		if a.Model != x.Model || a.Cause != "" || a.Refused != "" {
			continue
		}
		if n++; n == 1 {
			first = a.Beta
		}
		if a.Beta != first {
			return true
		}
	}
	return false
}

// instance is one answer; sure says whether its confidence is one.
func (x *EvalEver) instance(l result.Record, a result.RecordAnswer, sure bool) object {
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
	input := object{"raw": l.Prompt, "reference": references}
	hash := sampleHash(input)
	if labels := x.dataset().Labels; len(labels) > 0 {
		input["choices"] = labels
	}
	metadata := object{recorded.EvalEverPart: l.Part}
	out := object{"schema_version": evalEverVersion, "evaluation_id": x.id(), "model_id": x.model().ID,
		"evaluation_name": l.Dataset, "evaluation_result_id": resultID, "sample_id": l.ID, "sample_hash": hash,
		"interaction_type": "single_turn", "input": input, "output": object{"raw": []string{text}}, "messages": nil,
		"answer_attribution": []object{{"turn_idx": 0, "source": "output.raw", "extracted_value": text,
			"extraction_method": "custom", "is_terminal": true}},
		"evaluation": object{"score": score, "is_correct": a.Correct}, "metadata": metadata}
	if a.Estimated == "" && (a.Prompted > 0 || a.Completed > 0) {
		out["token_usage"] = object{"input_tokens": a.Prompted, "output_tokens": a.Completed,
			"total_tokens": a.Prompted + a.Completed}
	}
	if a.LatencySecs > 0 {
		out["performance"] = object{"latency_ms": 1000 * a.LatencySecs}
	}
	if sure {
		metadata[recorded.EvalEverConfidence] = strconv.FormatFloat(a.Beta, 'g', -1, 64)
	}
	for _, c := range x.Results.Cascades {
		if c.Name == l.Cascade && (c.Unit == "USD" || c.Unit == "EUR") {
			metadata[recorded.EvalEverCost] = strconv.FormatFloat(a.Cost, 'g', -1, 64)
			metadata[recorded.EvalEverCurrency] = c.Unit
		}
	}
	return out
}

// sampleHash is the hash by which instances of one question find each other: SHA-256 of the input, of its text and its
// right answers, as Python's json writes it with sorted keys and no spaces, in ASCII.
func sampleHash(input object) string {
	text, err := asciiJSON(input)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// asciiJSON writes JSON as Python does: in ASCII, so that no reader takes a character of a text, such as U+0085, for
// the end of a line.
func asciiJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	out := make([]byte, 0, b.Len())
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out, nil
}
