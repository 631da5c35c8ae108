package spec

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/task"
)

// Options are the study's environment and the command line's overrides. The zero Options load a
// study of files.
type Options struct {
	// Builtin looks up a built-in generator, with an error that lists the
	// valid names. Nil = there are none.
	Builtin func(name string) (BuiltinSource, error)

	// Models holds the built-in models, a folder each: what path =
	// "builtin:NAME" names. Nil = there are none.
	Models fs.FS

	// Getenv looks up an environment variable for ${NAME}. Nil = os.LookupEnv.
	Getenv func(name string) (string, bool)

	// Use are catalogs whose models, datasets and backends replace those of the same name in the
	// study, in its catalogs and in the catalogs before them. Paths are as Load takes them.
	Use []string

	// StandIns replaces models in every cascade: it maps a role (student: the first, master: the
	// last) or a model's name to a model's name. A name takes precedence over a role.
	StandIns map[string]string

	// Published lists the tables that report.published may name.
	Published []string

	Limit  int    // rows per dataset at most, overrides the specs; 0 = as in the specs; at least 10
	Target string // the budget, overrides the spec's; "" = as in the spec
}

func (o Options) builtin(name string) (BuiltinSource, error) {
	if o.Builtin == nil {
		return BuiltinSource{}, fmt.Errorf("no built-in dataset %q: there are none", name)
	}
	return o.Builtin(name)
}

// BuiltinSource describes a built-in generator.
type BuiltinSource struct {
	Task      task.Kind
	Labels    []Label // in class order; a leading space of the word is dropped
	Prompt    string
	Fields    []string
	MaxTokens int
}

// Load reads a study and its catalogs from the machine's file system. The error is a Problems with
// all mistakes of all files. Files and folders that the study uses must exist, but only the TOML
// files are opened.
func Load(name string, o Options) (*Study, error) {
	return load(filesystem{}, name, o)
}

// LoadFS is Load in another file system: name and all paths in the spec are
// slash-separated and must stay inside it.
func LoadFS(fsys fs.FS, name string, o Options) (*Study, error) {
	return load(filesystem{fsys}, name, o)
}

// load reads the files, checks every table of the spec, then checks that the tables fit together.
func load(fsys filesystem, name string, o Options) (*Study, error) {
	if o.Getenv == nil {
		o.Getenv = os.LookupEnv
	}
	r := &report{fsys: fsys, getenv: o.Getenv, variables: map[string]bool{}, unset: map[string]bool{}}
	sources, read := readSources(r, name, o)
	s := &Study{File: name, FS: fsys.system}
	if read {
		checkStudy(s, sources.main(), o)
		checkDefinitions(s, sources, o)
		checkReading(sources.main(), s)
		s.Slurm = checkSlurm(sources)
	}
	if len(r.problems) > 0 {
		return nil, r.problems.Sorted(sources.names())
	}
	s.Env = slices.Sorted(maps.Keys(r.variables))
	s.Warnings = r.warnings.Sorted(sources.names())
	s.Hash = fmt.Sprintf("%x", sha256.Sum256(s.canonical()))
	return s, nil
}

func checkStudy(s *Study, f *file, o Options) {
	r := &f.raw
	s.Name, s.Seed, s.Cost, s.Collect = r.Study, uint64(r.Seed), r.Cost, r.Collect
	if r.Cost.PricesPath != nil {
		s.Cost.Prices = readPrices(f, *r.Cost.PricesPath)
	}
	s.Policy = checkPolicy(f, r.Policy, o.Target)
	s.Confidence = checkConfidence(f, r.Confidence, s.Policy)
	s.Baselines = checkBaselines(f, r.Baselines, o.StandIns)
	s.Sufficiency = checkSufficiency(f, r.Sufficiency)
	s.Grid, s.Transfer = checkGrid(f, r.Grid, s), r.Transfer
	if s.Transfer != nil && s.Policy.Target.Equal(policy.Min) {
		f.wrong("transfer", "target min is the least error of any thresholds on the records that they are fitted on: "+
			"elsewhere it is no budget", "set policy.target to master, student, best or a number")
	}
	s.Report = checkReport(f, r.Report, o.Published)
}
