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
	"infnet/harness/recorded"
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

// log is the aggregate of instances with these scores, whose file has this hash.
func (x *EvalEver) log(scores []float64, hash string) *recorded.EvalEverLog {
	d := x.dataset()
	return &recorded.EvalEverLog{
		Schema: evalEverVersion, ID: x.id(), Retrieved: strconv.FormatInt(x.Retrieved, 10),
		Source: recorded.EvalEverSource{Name: x.Results.Name, Type: "evaluation_run", Organisation: "unknown",
			Relationship: "other"},
		Library: recorded.EvalEverLibrary{Name: "infnet", Version: x.Results.Spec.Program, Details: map[string]string{
			"study": x.Results.Name, "spec_sha256": x.Results.Spec.SpecHash, "answers_sha256": x.Results.Spec.AnswersHash,
			"correctness_rule": d.Rule,
		}},
		Model:   x.describe(),
		Results: []recorded.EvalEverResult{x.measured(d, scores)},
		Samples: &recorded.EvalEverSamples{Format: "jsonl", Path: x.Path() + "_samples.jsonl", Hash: "sha256",
			Checksum: hash, Rows: len(scores)},
	}
}

// describe says who answered. What is not known is said to be unknown.
func (x *EvalEver) describe() recorded.EvalEverModel {
	m := x.model()
	out := recorded.EvalEverModel{Name: m.Name, ID: m.ID, Developer: "unknown", Details: map[string]string{
		"deployment_type": "unknown", "model_availability": "unknown", "backend": m.Backend,
	}}
	if developer, _, ok := strings.Cut(m.ID, "/"); ok {
		out.Developer = developer
	}
	if m.Revision != "" {
		out.Details["revision"] = m.Revision
	}
	if m.Params > 0 {
		out.Details["parameters_billion"] = strconv.FormatFloat(m.Params, 'g', -1, 64)
	}
	switch backends.Kind(m.Backend) {
	case backends.Local:
		out.Details["deployment_type"] = "self_deployed"
	case backends.Hosted, backends.HuggingFace:
		out.Details["deployment_type"] = "externally_managed"
	}
	if len(m.Servers) > 0 {
		s := m.Servers[0]
		if s.Name != "" {
			out.Engine = &recorded.EvalEverEngine{Name: s.Name, Version: s.Version}
		}
		if s.Launch != "" {
			out.Details["deployment_type"] = "self_deployed"
		}
	}
	return out
}

// measured is the mean score: the share of right answers where every score is 0 or 1.
func (x *EvalEver) measured(d result.Dataset, scores []float64) recorded.EvalEverResult {
	n, sum, squares, whole := float64(len(scores)), 0.0, 0.0, true
	for _, s := range scores {
		sum += s
		whole = whole && (s == 0 || s == 1)
	}
	mean := sum / n
	for _, s := range scores {
		squares += float64((s - mean) * (s - mean))
	}
	out := recorded.EvalEverResult{
		ID: resultID, Name: x.Dataset, Data: source(d, len(scores)),
		Metric: recorded.EvalEverMetric{ID: "accuracy", Name: "Accuracy", Kind: "accuracy", Unit: "proportion",
			Description: "the mean score of the instances", Type: "continuous", Min: 0, Max: 1},
		Score: recorded.EvalEverScore{Score: mean, Uncertainty: &recorded.EvalEverUncertainty{N: len(scores)}},
	}
	if !whole {
		out.Metric.ID, out.Metric.Name, out.Metric.Kind = "infnet.mean_grade", "Mean grade", "mean_grade"
	}
	if n > 1 {
		u := out.Score.Uncertainty
		u.Deviation = math.Sqrt(squares / (n - 1))
		u.Error = &recorded.EvalEverError{Value: u.Deviation / math.Sqrt(n), Method: "analytic"}
	}
	switch backends.Kind(x.model().Backend) {
	case backends.Local, backends.OpenAI, backends.Hosted, backends.HuggingFace:
		greedy := 0.0 // every request of infnet
		out.Generation = &recorded.EvalEverGeneration{Args: recorded.EvalEverArgs{Temperature: &greedy}}
	}
	return out
}

// source says where a dataset is from.
func source(d result.Dataset, samples int) recorded.EvalEverData {
	details := map[string]string{"source": d.Source, "sha256": d.Hash, "task": d.Task}
	if d.Revision != "" {
		details["revision"] = d.Revision
	}
	if r, err := ref.ParseDataset(d.Source); strings.HasPrefix(d.Source, ref.Scheme) && err == nil {
		return recorded.EvalEverData{Name: d.Name, Type: "hf_dataset", Repo: r.Repo, Samples: samples, Details: details}
	}
	return recorded.EvalEverData{Name: d.Name, Type: "other", Details: details}
}
