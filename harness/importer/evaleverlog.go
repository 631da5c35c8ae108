package importer

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/result"
)

// resultID is what instances name the one result of their aggregate by.
const resultID = "score"

// Path is where an aggregate is in the datastore of Every Eval Ever, without its ending: its instances end in
// _samples.jsonl, itself in .json.
func (x *EvalEver) Path() string {
	developer, model, ok := strings.Cut(x.model().ID, "/")
	if !ok {
		developer, model = "unknown", x.model().ID
	}
	return fmt.Sprintf("data/%s/%s/%s/%s", portable(x.Dataset), portable(developer), portable(model), x.uuid())
}

// portable turns a name into one of a folder, on every system.
func portable(name string) string {
	name = strings.TrimRight(strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, name), ". ")
	if stem, _, _ := strings.Cut(strings.ToUpper(name), "."); name == "" || name == "data" ||
		slices.Contains(reserved, stem) {
		return "_" + name
	}
	return name
}

// reserved are no names of files on Windows.
var reserved = strings.Fields("CON PRN AUX NUL COM1 COM2 COM3 COM4 COM5 COM6 COM7 COM8 COM9 " +
	"LPT1 LPT2 LPT3 LPT4 LPT5 LPT6 LPT7 LPT8 LPT9")

// id names the evaluation by what decides it, so that exporting again gives the same.
func (x *EvalEver) id() string {
	return fmt.Sprintf("%s/%s/%s", x.Dataset, strings.ReplaceAll(x.model().ID, "/", "_"), x.Results.Spec.SpecHash)
}

// uuid is made of the evaluation and its answers, in the form of version 4.
func (x *EvalEver) uuid() string {
	h := sha256.Sum256([]byte(x.id() + "\n" + x.Results.Spec.AnswersHash))
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[:4], h[4:6], h[6:8], h[8:10], h[10:16])
}

// model describes the model in the results.
func (x *EvalEver) model() result.Model {
	for _, m := range x.Results.Models {
		if m.Name == x.Model {
			m.ID = cmp.Or(m.ID, x.Model)
			return m
		}
	}
	return result.Model{Name: x.Model, ID: x.Model}
}

// dataset describes the dataset in the results.
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

// object is a JSON object.
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
	switch backends.Kind(m.Backend) {
	case backends.Local:
		details["deployment_type"] = "self_deployed"
	case backends.Hosted, backends.HuggingFace, backends.Decisions:
		details["deployment_type"] = "externally_managed"
	}
	if len(m.Servers) > 0 {
		s := m.Servers[0]
		if s.Name != "" {
			engine := object{"name": s.Name}
			if s.Version != "" {
				engine["version"] = s.Version
			}
			out["inference_engine"] = engine
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
	out := object{"evaluation_result_id": resultID, "evaluation_name": x.Dataset, "source_data": source(d, len(scores)),
		"metric_config": metric, "score_details": object{"score": mean, "uncertainty": uncertainty}}
	switch backends.Kind(x.model().Backend) {
	case backends.Local, backends.OpenAI, backends.Hosted, backends.HuggingFace, backends.Decisions:
		out["generation_config"] = object{"generation_args": object{"temperature": 0}} // every request of infnet
	}
	return out
}

// source says where a dataset is from.
func source(d result.Dataset, samples int) object {
	details := object{"source": d.Source, "sha256": d.Hash, "task": d.Task}
	if d.Revision != "" {
		details["revision"] = d.Revision
	}
	if r, err := ref.ParseDataset(d.Source); strings.HasPrefix(d.Source, ref.Scheme) && err == nil {
		return object{"dataset_name": d.Name, "source_type": "hf_dataset", "hf_repo": r.Repo, "samples_number": samples,
			"additional_details": details}
	}
	return object{"dataset_name": d.Name, "source_type": "other", "additional_details": details}
}
