package cli

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

// recipeFile, in a run's folder, says how the run was asked for, so that it
// can be asked for again.
const recipeFile = "run.json"

// recipeVersion changes when a recipe of before can no longer be followed.
const recipeVersion = 1

// recipe is everything a command line says that changes results. Paths are as
// they were typed, so they hold in the folder the command was typed in. Where
// answers and results are, and how fast, changes nothing and is not in it.
type recipe struct {
	Version int    `json:"version"`
	Spec    string `json:"spec"`
	Limit   int    `json:"limit,omitempty"`
	Target  string `json:"target,omitempty"`

	Use           []string          `json:"use,omitempty"`
	ModelOverride map[string]string `json:"model_override,omitempty"`

	AcceptUnconfirmed bool `json:"accept_unconfirmed,omitempty"`
}

// recipe returns what these flags ask for.
func (f *studyFlags) recipe() recipe {
	return recipe{Version: recipeVersion, Spec: filepath.ToSlash(filepath.Clean(f.Spec)), Limit: f.Limit, Target: f.Target, Use: f.Use, ModelOverride: f.ModelOverride, AcceptUnconfirmed: f.AcceptUnconfirmed}
}

// follow sets the flags that ask for the recipe.
func (f *studyFlags) follow(r recipe) {
	f.Spec, f.Limit, f.Target = filepath.FromSlash(r.Spec), r.Limit, r.Target
	f.Use, f.ModelOverride = r.Use, r.ModelOverride
	f.AcceptUnconfirmed = r.AcceptUnconfirmed
}

// writeRecipe leaves the recipe in a run's folder.
func writeRecipe(dir string, r recipe) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(dir, recipeFile), append(data, '\n'))
}

// readRecipe reads it again.
func readRecipe(dir string) (recipe, error) {
	path := filepath.Join(dir, recipeFile)
	var r recipe
	data, err := regular.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fault.Data.Wrap(fmt.Errorf("%s has no %s, which says how the run was asked for: run or analyze the study again with this version", dir, recipeFile))
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fault.Data.Wrap(fmt.Errorf("%s: not a record of a run: %w; run or analyze the study again", path, err))
	}
	if r.Version != recipeVersion {
		return r, fault.Data.Wrap(fmt.Errorf("%s: version %d, this infnet reads %d: verify with the version that made the run, or analyze the study again", path, r.Version, recipeVersion))
	}
	return r, nil
}
