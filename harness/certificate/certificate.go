// Package certificate writes what a reviewer needs to check a run without infnet: the columns that its thresholds rest
// on, what it claims, and check.py, a program of plain Python that proves or refutes the claims from the columns. It
// owns the bundle's format. It refuses to compute: a number that it worked out would be a number to trust. Its opinion:
// a proof that nobody can read convinces nobody.
package certificate

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/policy/deploy"
	"infnet/harness/regular"
	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/metrics/infer"
)

//go:embed check.py
var program []byte

// Files of a bundle, beside those of the columns.
const (
	Claims  = "claims.json"
	Program = "check.py"
)

const (
	format  = "infnet certificate"
	version = 1
)

// claims are claims.json.
type claims struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Study   string `json:"study"`
	Program string `json:"program"` // version of infnet that made the run
	Seed    uint64 `json:"seed"`    // of the halves of a guarantee, and of the order of its tests

	Run    map[string]string `json:"run"`   // SHA-256 of the run's files that the bundle was made from
	Files  map[string]string `json:"files"` // SHA-256 of the bundle's other files
	Tables []table           `json:"tables"`
	Left   []string          `json:"not_checked"` // what the run says besides, in words
}

// table is what is claimed of a cascade on a dataset. Models have numbers: their places in Models, from 0.
type table struct {
	Cascade   string        `json:"cascade"`
	Dataset   string        `json:"dataset"`
	Columns   string        `json:"columns"` // the file of its records
	Models    []string      `json:"models"`
	Setting   string        `json:"setting"`
	Target    string        `json:"target"`
	Objective string        `json:"objective"`
	Summary   string        `json:"cost_summary"` // how Costs are made from those of the records of the fit part
	Costs     []result.Cost `json:"costs"`
	Fit       int           `json:"fit"`  // records
	Test      int           `json:"test"` // records
	Rows      []row         `json:"rows"`
}

// row is a row of the table, on the test part.
type row struct {
	Policy    string                    `json:"policy"`
	Models    []int                     `json:"models"` // that it may ask, in this order
	Rules     []rule                    `json:"rules"`  // one, or several of which a coin takes one for each query
	Fitted    *fitted                   `json:"fitted,omitempty"`
	Charge    string                    `json:"charge"`
	Overhead  float64                   `json:"overhead"` // cost of the score that decides, which every query pays
	Error     infer.Interval            `json:"error"`
	Deferred  infer.Interval            `json:"deferred"`
	Saved     infer.Interval            `json:"saved_pct"`
	PerQuery  infer.Interval            `json:"saved_query_pct"`
	Metrics   map[string]infer.Interval `json:"metrics"`
	Certified bool                      `json:"certified"`
	Promise   *result.Promise           `json:"promise,omitempty"`
}

// fitted is what is claimed of thresholds on the fit part; see result.Policy.
type fitted struct {
	Method   string   `json:"method"`
	Errors   float64  `json:"fit_errors"`
	Deferred int      `json:"fit_deferred"`
	Optimum  *optimum `json:"optimum,omitempty"` // nil = thresholds are not said to be the best, or are a chain's
	Price    float64  `json:"price,omitempty"`   // of an error, at which they lose least; 0 = they meet a budget
}

// optimum says how good thresholds of two models are.
type optimum struct {
	Budget    float64 `json:"budget"`
	MinErrors float64 `json:"min_errors"`
	Feasible  bool    `json:"feasible"`
	result.Certificate
}

// rule says whose answer is taken: that of a model; that of the first model whose confidence is at least its
// threshold, where there is one per class that of the class it names; or what the run recorded under a name.
type rule struct {
	Weight float64        `json:"weight"` // the probability that this rule is used
	Model  *int           `json:"model,omitempty"`
	Theta  []result.Float `json:"theta,omitempty"`
	Class  []string       `json:"class,omitempty"` // of Theta
	As     string         `json:"as,omitempty"`
}

// record is a line of columns; its lists are by model.
type record struct {
	ID        string                    `json:"id"`
	Part      string                    `json:"part"`
	Group     string                    `json:"group"`
	Reference string                    `json:"reference"` // the right class
	Class     []string                  `json:"class"`
	Beta      []float64                 `json:"beta"`
	Error     []float64                 `json:"error"`
	People    *[]float64                `json:"people,omitempty"` // a model graded: errors by people, or none; see check.py
	Cost      []float64                 `json:"cost"`
	Scores    []map[string]result.Float `json:"scores"`
	Final     map[string]int            `json:"final"` // by row: the model whose answer is taken
}

// Write writes the bundle of the run in a folder to another one, and returns the paths of its files.
func Write(dir, to string, r *result.Results) ([]string, error) {
	out := claims{Format: format, Version: version, Study: r.Name, Program: r.Spec.Program, Seed: r.Seed,
		Run: map[string]string{}, Files: map[string]string{Program: hash(program)}, Tables: []table{}}
	policies := map[string]deploy.File{}
	for _, name := range []string{folder.Results, folder.Records, folder.Policies} {
		text, err := regular.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) && name == folder.Policies {
			continue // a study of pools alone has no thresholds
		}
		if err != nil {
			return nil, fault.Data.Wrap(err)
		}
		out.Run[name] = hash(text)
		if name == folder.Policies {
			if policies, err = deploy.Decode(text); err != nil {
				return nil, fault.Data.Wrap(fmt.Errorf("%s: %w; run analyze again", filepath.Join(dir, name), err))
			}
		}
	}
	columns, err := readColumns(dir, r)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{Program: program}
	for _, c := range r.Cascades {
		for _, d := range c.Datasets {
			name := fmt.Sprintf("columns-%d.jsonl", len(out.Tables)+1)
			text := columns[[2]string{c.Name, d.Name}]
			if text == nil {
				return nil, fault.Data.Wrap(fmt.Errorf("%s has no record of cascade %s on dataset %s, of which %s has a table: "+
					"run analyze again", filepath.Join(dir, folder.Records), c.Name, d.Name, folder.Results))
			}
			files[name], out.Files[name] = text.Bytes(), hash(text.Bytes())
			out.Tables = append(out.Tables, newTable(c, d, name, func(policy string) deploy.File {
				return policies[folder.PolicyName(r, c.Name, d.Name, policy)]
			}))
		}
	}
	out.Left = left(r)
	if files[Claims], err = json.MarshalIndent(out, "", " "); err != nil {
		return nil, err
	}
	return save(to, files)
}

// hash is the SHA-256 of a file, hexadecimal.
func hash(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:])
}

// save writes a bundle, and removes the columns of an earlier one.
func save(to string, files map[string][]byte) (paths []string, err error) {
	old, err := filepath.Glob(filepath.Join(to, "columns-*.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, path := range old {
		if files[filepath.Base(path)] == nil {
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(to, name)
		if err := store.WriteTo(path, func(w io.Writer) error {
			_, err := w.Write(files[name])
			return err
		}); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
