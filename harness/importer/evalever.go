package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"infnet/backends"
	"infnet/harness/dataset/hub/ref"
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
			line, err := asciiJSON(x.instance(record, record.Models[k], !last))
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

func (x *EvalEver) instance(l result.Record, a result.RecordAnswer, sure bool) object {
	score, text := 1-a.Error, a.Text
	if a.Class != "" {
		text = a.Class
	}
	references := append([]string{}, l.References...)
	if l.Class != "" {
		references = []string{l.Class}
	}
	// Instances of one question find each other by SHA-256 of its text and its right answers, as Python's json writes
	// them with sorted keys and no spaces.
	input := object{"raw": l.Prompt, "reference": references}
	question, _ := asciiJSON(input) // texts
	hash := fmt.Sprintf("%x", sha256.Sum256(question))
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

// resultID is what instances name the one result of their aggregate by.
const resultID = "score"

// Path is where an aggregate is in the datastore of Every Eval Ever, without its ending: its instances end in
// _samples.jsonl, itself in .json.
func (x *EvalEver) Path() string {
	developer, model, ok := strings.Cut(x.model().ID, "/")
	if !ok {
		developer, model = "unknown", x.model().ID
	}
	h := sha256.Sum256([]byte(x.id() + "\n" + x.Results.Spec.AnswersHash)) // a UUID in the form of version 4
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("data/%s/%s/%s/%x-%x-%x-%x-%x", portable(x.Dataset), portable(developer), portable(model), h[:4],
		h[4:6], h[6:8], h[8:10], h[10:16])
}

// portable turns a name into one of a folder, on every system.
func portable(name string) string {
	name = strings.TrimRight(strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, name), ". ")
	if name == "" || name == "data" {
		return "_" + name
	}
	return name
}

// id names the evaluation by what decides it, so that exporting again gives the same.
func (x *EvalEver) id() string {
	return fmt.Sprintf("%s/%s/%s", x.Dataset, strings.ReplaceAll(x.model().ID, "/", "_"), x.Results.Spec.SpecHash)
}

func (x *EvalEver) model() result.Model {
	for _, m := range x.Results.Models {
		if m.Name == x.Model {
			m.ID = cmp.Or(m.ID, x.Model)
			return m
		}
	}
	return result.Model{Name: x.Model, ID: x.Model}
}

func (x *EvalEver) dataset() result.Dataset {
	for _, c := range x.Results.Cascades {
		for _, d := range c.Datasets {
			if d.Name == x.Dataset && slices.Contains(c.Models, x.Model) {
				return d
			}
		}
	}
	return result.Dataset{Name: x.Dataset}
}

type object = map[string]any

// log is the aggregate of instances with these scores, whose file has this hash.
func (x *EvalEver) log(scores []float64, hash string) object {
	d := x.dataset()
	return object{
		"schema_version": evalEverVersion, "evaluation_id": x.id(),
		"retrieved_timestamp": strconv.FormatInt(x.Retrieved, 10),
		"source_metadata": object{"source_name": x.Results.Name, "source_type": "evaluation_run",
			"source_organization_name": "unknown", "evaluator_relationship": "other"},
		"eval_library": object{"name": "infnet", "version": x.Results.Spec.Program, "additional_details": object{
			"study": x.Results.Name, "spec_sha256": x.Results.Spec.SpecHash, "answers_sha256": x.Results.Spec.AnswersHash,
			"correctness_rule": d.Rule,
		}},
		"model_info":         x.describe(),
		"evaluation_results": []object{x.measured(d, scores)},
		"detailed_evaluation_results": object{"format": "jsonl", "file_path": x.Path() + "_samples.jsonl",
			"hash_algorithm": "sha256", "checksum": hash, "total_rows": len(scores)},
	}
}

// describe says who answered. What is not known is said to be unknown.
func (x *EvalEver) describe() object {
	m := x.model()
	details := object{"deployment_type": "unknown", "model_availability": "unknown", "backend": m.Backend}
	out := object{"name": m.Name, "id": m.ID, "developer": "unknown", "additional_details": details}
	if developer, _, ok := strings.Cut(m.ID, "/"); ok {
		out["developer"] = developer
	}
	if m.Revision != "" {
		details["revision"] = m.Revision
	}
	if m.Params > 0 {
		details["parameters_billion"] = strconv.FormatFloat(m.Params, 'g', -1, 64)
	}
	if t := backends.Kind(m.Backend).Traits(); t.Local && t.Folder {
		details["deployment_type"] = "self_deployed"
	} else if t.Remote && backends.Kind(m.Backend) != backends.OpenAI {
		details["deployment_type"] = "externally_managed"
	}
	for _, s := range m.Servers[:min(1, len(m.Servers))] {
		if s.Name != "" {
			out["inference_engine"] = object{"name": s.Name, "version": cmp.Or(s.Version, "unknown")}
		}
		if s.Launch != "" {
			details["deployment_type"] = "self_deployed"
		}
	}
	return out
}

// measured is the mean score: the share of right answers where every score is 0 or 1.
func (x *EvalEver) measured(d result.Dataset, scores []float64) object {
	n, sum, squares, whole := float64(len(scores)), 0.0, 0.0, true
	for _, s := range scores {
		sum += s
		whole = whole && (s == 0 || s == 1)
	}
	mean := sum / n
	for _, s := range scores {
		squares += float64((s - mean) * (s - mean))
	}
	metric := object{"metric_id": "accuracy", "metric_name": "Accuracy", "metric_kind": "accuracy",
		"metric_unit": "proportion", "evaluation_description": "the mean score of the instances", "lower_is_better": false,
		"score_type": "continuous", "min_score": 0, "max_score": 1}
	if !whole {
		metric["metric_id"], metric["metric_name"], metric["metric_kind"] = "infnet.mean_grade", "Mean grade", "mean_grade"
	}
	uncertainty := object{"num_samples": len(scores)}
	if n > 1 {
		deviation := math.Sqrt(squares / (n - 1))
		uncertainty["standard_deviation"] = deviation
		uncertainty["standard_error"] = object{"value": deviation / math.Sqrt(n), "method": "analytic"}
	}
	source := object{"dataset_name": d.Name, "source_type": "other", "additional_details": object{"source": d.Source,
		"sha256": d.Hash, "task": d.Task, "revision": d.Revision}}
	if r, err := ref.ParseDataset(d.Source); strings.HasPrefix(d.Source, ref.Scheme) && err == nil {
		source["source_type"], source["hf_repo"], source["samples_number"] = "hf_dataset", r.Repo, len(scores)
	}
	out := object{"evaluation_result_id": resultID, "evaluation_name": x.Dataset, "source_data": source,
		"metric_config": metric, "score_details": object{"score": mean, "uncertainty": uncertainty}}
	if k := backends.Kind(x.model().Backend); k == backends.Local || k.Traits().Remote {
		out["generation_config"] = object{"generation_args": object{"temperature": 0}} // every request of infnet
	}
	return out
}
