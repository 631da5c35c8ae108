package recorded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"infnet/harness/dataset/files"
)

// EvalEverLog is an aggregate of Every Eval Ever, version 0.3: who evaluated which model on what, how, and with which
// result. Its instances are in a file beside it.
type EvalEverLog struct {
	Schema    string           `json:"schema_version"`
	ID        string           `json:"evaluation_id"`
	Evaluated string           `json:"evaluation_timestamp,omitempty"`
	Retrieved string           `json:"retrieved_timestamp"` // seconds since 1970
	Source    EvalEverSource   `json:"source_metadata"`
	Library   EvalEverLibrary  `json:"eval_library"`
	Model     EvalEverModel    `json:"model_info"`
	Results   []EvalEverResult `json:"evaluation_results"`
	Samples   *EvalEverSamples `json:"detailed_evaluation_results,omitempty"`
}

// EvalEverSource says where an evaluation comes from.
type EvalEverSource struct {
	Name         string `json:"source_name,omitempty"`
	Type         string `json:"source_type"` // documentation or evaluation_run
	Organisation string `json:"source_organization_name"`
	Relationship string `json:"evaluator_relationship"`
}

// EvalEverLibrary is the program that evaluated.
type EvalEverLibrary struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Details map[string]string `json:"additional_details,omitempty"`
}

// EvalEverModel is who answered.
type EvalEverModel struct {
	Name      string            `json:"name"`
	ID        string            `json:"id"`
	Developer string            `json:"developer,omitempty"`
	Engine    *EvalEverEngine   `json:"inference_engine,omitempty"`
	Details   map[string]string `json:"additional_details"` // with deployment_type and model_availability
}

// EvalEverEngine is the server of a model.
type EvalEverEngine struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// EvalEverResult is one metric of one evaluation.
type EvalEverResult struct {
	ID         string              `json:"evaluation_result_id,omitempty"`
	Name       string              `json:"evaluation_name"`
	Data       EvalEverData        `json:"source_data"`
	Metric     EvalEverMetric      `json:"metric_config"`
	Score      EvalEverScore       `json:"score_details"`
	Generation *EvalEverGeneration `json:"generation_config,omitempty"`
}

// EvalEverData is what was asked.
type EvalEverData struct {
	Name    string            `json:"dataset_name"`
	Type    string            `json:"source_type"` // hf_dataset, url or other
	Repo    string            `json:"hf_repo,omitempty"`
	Samples int               `json:"samples_number,omitempty"`
	URL     []string          `json:"url,omitempty"`
	Details map[string]string `json:"additional_details,omitempty"`
}

// EvalEverMetric says what a score means.
type EvalEverMetric struct {
	Description string `json:"evaluation_description,omitempty"`
	ID          string `json:"metric_id,omitempty"`
	Name        string `json:"metric_name,omitempty"`
	Kind        string `json:"metric_kind,omitempty"`
	Unit        string `json:"metric_unit,omitempty"`
	Lower       bool   `json:"lower_is_better"`
	Type        string `json:"score_type,omitempty"`
	Min         any    `json:"min_score,omitempty"` // a number, or "-Infinity"
	Max         any    `json:"max_score,omitempty"` // a number, or "Infinity"
}

// EvalEverScore is a result.
type EvalEverScore struct {
	Score       float64              `json:"score"`
	Uncertainty *EvalEverUncertainty `json:"uncertainty,omitempty"`
}

// EvalEverUncertainty says how sure a result is.
type EvalEverUncertainty struct {
	Error     *EvalEverError `json:"standard_error,omitempty"`
	Deviation float64        `json:"standard_deviation,omitempty"`
	N         int            `json:"num_samples,omitempty"`
}

// EvalEverError is a standard error.
type EvalEverError struct {
	Value  float64 `json:"value"`
	Method string  `json:"method,omitempty"`
}

// EvalEverGeneration says how answers were made.
type EvalEverGeneration struct {
	Args    EvalEverArgs      `json:"generation_args"`
	Details map[string]string `json:"additional_details,omitempty"`
}

// EvalEverArgs are what a model was asked with.
type EvalEverArgs struct {
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Prompt      string   `json:"prompt_template,omitempty"`
}

// EvalEverSamples names the file of the instances.
type EvalEverSamples struct {
	Format   string `json:"format"`
	Path     string `json:"file_path"` // from the root of the datastore
	Hash     string `json:"hash_algorithm,omitempty"`
	Checksum string `json:"checksum,omitempty"`
	Rows     int    `json:"total_rows,omitempty"`
}

// mostLog is the size of the largest aggregate that is read; they have no answers.
const mostLog = 64 << 20

// ReadEvalEverLog reads an aggregate; ok is false where the file is something else.
func ReadEvalEverLog(o Options) (log EvalEverLog, ok bool, err error) {
	in, err := open(o)
	if err != nil {
		return log, false, err
	}
	defer in.Close()
	raw, err := io.ReadAll(io.LimitReader(in, mostLog+1))
	if err != nil || len(raw) > mostLog {
		return log, false, err
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(raw, &keys) != nil || keys["evaluation_results"] == nil || keys["eval_library"] == nil {
		return log, false, nil
	}
	if err := json.Unmarshal(raw, &log); err != nil {
		return log, true, fmt.Errorf("an aggregate of Every Eval Ever that does not follow its schema: %w", err)
	}
	if !strings.HasPrefix(log.Schema, "0.3") {
		return log, true, fmt.Errorf("an aggregate of Every Eval Ever, version %q: version 0.3 is read", log.Schema)
	}
	return log, true, nil
}

// SamplesOf returns the file of an aggregate's instances, which is beside it, and checks that it is the one that the
// aggregate describes.
func SamplesOf(o Options, log EvalEverLog) (string, error) {
	if log.Samples == nil {
		return "", errors.New("an aggregate of Every Eval Ever without instances (detailed_evaluation_results): it has " +
			"scores, and no answer to replay")
	}
	name := path.Base(filepath.ToSlash(log.Samples.Path))
	beside := filepath.Join(filepath.Dir(o.Path), name)
	if o.FS != nil {
		beside = path.Join(path.Dir(o.Path), name)
	}
	if log.Samples.Checksum == "" || log.Samples.Hash != "" && log.Samples.Hash != "sha256" {
		return beside, nil
	}
	sum, err := checksum(o.FS, beside)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("its instances, %s, are not beside it", name)
	case err != nil:
		return "", err
	case !strings.EqualFold(sum, log.Samples.Checksum):
		return "", fmt.Errorf("its instances, %s, are others than it describes: their SHA-256 is %s, and it says %s", name,
			sum, log.Samples.Checksum)
	}
	return beside, nil
}

func checksum(system fs.FS, name string) (string, error) {
	f, err := files.OpenFile(files.Options{Path: name, FS: system})
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
