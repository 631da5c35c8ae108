package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"infnet/harness/fault"
	"infnet/harness/regular"
	"infnet/harness/store"
)

// recipeVersion changes when a run.json of before can no longer be followed.
const recipeVersion = 1

// Recipe is everything that a command line says and that changes results, so that
// the run can be made again. Paths are as they were typed, so they hold in the
// folder the command was typed in. Where answers and results are, and how fast,
// changes nothing and is not in it.
type Recipe struct {
	Version int    `json:"version"`
	Spec    string `json:"spec"`
	Limit   int    `json:"limit,omitempty"`
	Target  string `json:"target,omitempty"`

	Use           []string          `json:"use,omitempty"`
	ModelOverride map[string]string `json:"model_override,omitempty"`

	AcceptUnconfirmed bool `json:"accept_unconfirmed,omitempty"`
}

// writeRecipe leaves it in a run's folder.
func writeRecipe(dir string, r Recipe) error {
	r.Version = recipeVersion
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(dir, RunFile), append(data, '\n'))
}

// ReadRecipe reads it again.
func ReadRecipe(dir string) (Recipe, error) {
	path := filepath.Join(dir, RunFile)
	var r Recipe
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fault.Data.Wrap(fmt.Errorf("%s has no %s, which says how the run was asked for: run or analyze the "+
			"study again with this version", dir, RunFile))
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fault.Data.Wrap(fmt.Errorf("%s: not a record of a run: %w; run or analyze the study again", path, err))
	}
	if r.Version != recipeVersion {
		return r, fault.Data.Wrap(fmt.Errorf("%s: version %d, this infnet reads %d: verify with the version that made the "+
			"run, or analyze the study again", path, r.Version, recipeVersion))
	}
	return r, nil
}
