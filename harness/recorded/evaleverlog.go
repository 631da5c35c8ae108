package recorded

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// mostLog is the size of the largest aggregate that is read; they have no answers.
const mostLog = 64 << 20

// InstancesOf returns the file of the instances that an aggregate of Every Eval Ever, version 0.3, describes, which is
// beside it; "" where the file is something else.
func InstancesOf(o Options) (string, error) {
	in, err := open(o)
	if err != nil {
		return "", err
	}
	defer in.Close()
	var log struct {
		Schema  string          `json:"schema_version"`
		Library json.RawMessage `json:"eval_library"`
		Results json.RawMessage `json:"evaluation_results"`
		Samples struct {
			Path string `json:"file_path"` // from the root of the datastore
		} `json:"detailed_evaluation_results"`
	}
	err = json.NewDecoder(io.LimitReader(in, mostLog)).Decode(&log)
	switch {
	case log.Library == nil || log.Results == nil:
		return "", nil // whoever reads the file says what is wrong with it
	case err != nil:
		return "", fmt.Errorf("an aggregate of Every Eval Ever that does not follow its schema: %w", err)
	case !strings.HasPrefix(log.Schema, "0.3"):
		return "", fmt.Errorf("an aggregate of Every Eval Ever, version %q: version 0.3 is read", log.Schema)
	case log.Samples.Path == "":
		return "", fmt.Errorf("an aggregate of Every Eval Ever without instances (detailed_evaluation_results): it has " +
			"scores, and no answer to replay")
	}
	return filepath.Join(filepath.Dir(o.Path), path.Base(filepath.ToSlash(log.Samples.Path))), nil
}
