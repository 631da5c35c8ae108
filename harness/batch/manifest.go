package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"infnet/backends"
	"infnet/harness/regular"
	"infnet/harness/store"
)

// ManifestName is the manifest's file, next to the requests.
const ManifestName = "batch.json"

// manifestVersion is raised by a change that older programs would misread.
const manifestVersion = 1

// Manifest says what a batch asks, and how its answers find their way back.
type Manifest struct {
	Infnet  string `json:"infnet"` // always "batch"
	Version int    `json:"version"`

	Study    string  `json:"study"`     // its name
	SpecHash string  `json:"spec_hash"` // of the resolved spec
	How      How     `json:"how"`       // it was opened
	Format   Format  `json:"format"`
	Models   []Asked `json:"models"` // in the study's order
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
	Model     string             `json:"model"` // its name in the study
	ID        backends.ModelID   `json:"id"`
	Served    string             `json:"served"` // the model's name in every request
	Mode      backends.Mode      `json:"mode"`
	LabelMode backends.LabelMode `json:"label_mode,omitempty"` // how classifications are asked; "" = it has none
	URL       string             `json:"url"`                  // the route
	Files     []Part             `json:"files"`
	Requests  int                `json:"requests"`
	Failed    int                `json:"failed_before,omitempty"` // of Requests: recorded as failed

	TokensIn  int             `json:"tokens_in"`  // estimated
	TokensOut int             `json:"tokens_out"` // estimated
	Basis     string          `json:"basis"`      // of the estimate
	Price     *backends.Money `json:"price,omitempty"`
	ByBatch   *backends.Money `json:"price_by_batch,omitempty"` // less the discount
}

// Part is one file of requests.
type Part struct {
	Name     string `json:"name"`
	Requests int    `json:"requests"`
	Bytes    int64  `json:"bytes"`
	SHA256   string `json:"sha256"`
}

// Write writes the manifest into a folder.
func (m *Manifest) Write(dir string) error {
	m.Infnet, m.Version = "batch", manifestVersion
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
	err = json.Unmarshal(text, &m)
	switch {
	case err == nil && m.Infnet != "batch":
		err = errors.New(`it lacks "infnet": "batch"`)
	case err == nil && m.Version != manifestVersion:
		return nil, fmt.Errorf("%s is a manifest of version %d, and this program reads version %d: use the infnet that "+
			"wrote it, or write the batch again", path, m.Version, manifestVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no manifest of a batch: %w: infnet batch write makes one", path, err)
	}
	return &m, nil
}

// Verify compares the files of requests in a folder with its manifest: how many are the same, and what is wrong with
// the others. A folder without a manifest has none.
func Verify(dir string) (same int, differ []string, err error) {
	m, err := ReadManifest(dir)
	if Absent(err) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, []string{fmt.Sprintf("%s: %v", ManifestName, err)}, nil
	}
	for _, a := range m.Models {
		for _, p := range a.Files {
			text, err := regular.ReadFile(filepath.Join(dir, filepath.Base(p.Name)))
			switch sum := sha256.Sum256(text); {
			case errors.Is(err, fs.ErrNotExist):
				differ = append(differ, p.Name+": missing")
			case err != nil:
				return same, differ, err
			case int64(len(text)) != p.Bytes || hex.EncodeToString(sum[:]) != p.SHA256:
				differ = append(differ, p.Name+": not the file that the manifest names, by its SHA-256")
			default:
				same++
			}
		}
	}
	return same, differ, nil
}

// Absent reports whether an error says that there is no manifest.
func Absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
