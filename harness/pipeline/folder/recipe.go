package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/regular"
	"infnet/harness/store"
)

// recipeVersion changes when older run.json files can no longer be followed.
const recipeVersion = 1

// Recipe holds the command-line settings that change results, so that the run can be repeated.
// Paths are as typed, relative to the folder where the command ran. Options that do not change
// results (folders, speed) are not in it.
type Recipe struct {
	Version int    `json:"version"`
	Spec    string `json:"spec"`
	Limit   int    `json:"limit,omitempty"`
	Target  string `json:"target,omitempty"`

	Use           []string          `json:"use,omitempty"`
	ModelOverride map[string]string `json:"model_override,omitempty"`

	// What was made of it, for comparisons: the program, and the study with all defaults, key by key. Earlier versions
	// wrote neither.
	Program  *Program          `json:"program,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

// Command is the command that makes the run again.
func (r Recipe) Command() string {
	if r.Spec == "" {
		return ""
	}
	words := []string{"infnet", "run", r.Spec}
	if r.Limit > 0 {
		words = append(words, "--limit", strconv.Itoa(r.Limit))
	}
	if r.Target != "" {
		words = append(words, "--target", r.Target)
	}
	for _, file := range r.Use {
		words = append(words, "--use", file)
	}
	for _, model := range slices.Sorted(maps.Keys(r.ModelOverride)) {
		words = append(words, "--model-override", model+"="+r.ModelOverride[model])
	}
	for i, w := range words {
		if !plainInShell.MatchString(w) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plainInShell is a word whose characters all mean themselves in a shell.
var plainInShell = regexp.MustCompile(`^[-a-zA-Z0-9_./=:,+@%]*$`)

// writeRecipe writes a recipe to a run's folder.
func writeRecipe(dir string, r Recipe) error {
	r.Version = recipeVersion
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(dir, RunFile), append(data, '\n'))
}

// ReadRecipe reads the recipe of a run's folder.
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
