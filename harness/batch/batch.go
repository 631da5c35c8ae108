// Package batch owns the files by which a provider, or vllm run-batch, answers requests later: the requests of a
// study as JSON lines, a manifest next to them, and the lines of the output. It refuses to make the
// body of a request and to judge a reply, which the backend does as if both were live, and to send anything.
//
// Its opinion: a request is named by its key, so whatever comes back finds its place, in any order, from any
// file, as often as it is read.
package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/regular"
	"infnet/harness/store"
)

// Refuses says why a model cannot be asked in batch files, and what to do about it; nil = it can. labels
// is how its classifications are asked; "" = it has none.
func Refuses(labels backends.LabelMode) error {
	if labels != backends.LabelsTokenIDs {
		return nil
	}
	return fmt.Errorf("labels = %q needs a running server, and an answer of a batch is one call: set labels = %q, "+
		"which has answers of its own, or ask live", labels, backends.LabelsTopLogprobs)
}

// Subject is a model of which answers may be missing.
type Subject struct {
	Name string
	Jobs []collect.Job // its work

	Why string // no batch asks it; "" = one may, and the rest is filled in

	LabelMode backends.LabelMode // how classifications are asked; "" = it has none
	Batch     backends.Batch
	// Checked is the model that Batch answers as, with the checks that its use on a dataset asks for.
	Checked func(dataset string, answers backends.Model) backends.Model
}

// ManifestName is the manifest's file, next to the requests.
const ManifestName = "batch.json"

// Manifest says what a batch asks, and how the study is opened again.
type Manifest struct {
	Infnet   string  `json:"infnet"`    // always "batch"
	Study    string  `json:"study"`     // its name
	SpecHash string  `json:"spec_hash"` // of the resolved spec
	How      How     `json:"how"`       // it was opened
	Models   []Asked `json:"models"`    // in the study's order
}

// How is how a study is opened again: its file and the flags that decide its requests.
type How struct {
	Spec          string            `json:"spec"` // absolute, unless it comes with infnet
	Store         string            `json:"store"`
	Limit         int               `json:"limit,omitempty"`
	Use           []string          `json:"use,omitempty"`
	ModelOverride map[string]string `json:"model_override,omitempty"`
}

// Asked is what a batch asks one model.
type Asked struct {
	Model     string             `json:"model"`                // its name in the study
	LabelMode backends.LabelMode `json:"label_mode,omitempty"` // how classifications are asked; "" = it has none
	URL       string             `json:"url"`                  // the route
	Files     []Part             `json:"files"`
	Failed    int                `json:"failed_before,omitempty"` // of the requests: recorded as failed
}

// Part is one file of requests.
type Part struct {
	Name     string `json:"name"`
	Requests int    `json:"requests"`
	Bytes    int64  `json:"bytes"`
}

// write writes the manifest into a folder.
func (m *Manifest) write(dir string) error {
	m.Infnet = "batch"
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(dir, ManifestName), append(text, '\n'))
}

// ReadManifest reads a manifest: a file, or the one in a folder. The error is fs.ErrNotExist where there is none.
func ReadManifest(path string) (*Manifest, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, ManifestName)
	}
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err = json.Unmarshal(text, &m); err == nil && m.Infnet != "batch" {
		err = errors.New(`it lacks "infnet": "batch"`)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no manifest of a batch: %w: infnet batch write makes one", path, err)
	}
	return &m, nil
}

// Absent reports whether an error says that there is no manifest.
func Absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
