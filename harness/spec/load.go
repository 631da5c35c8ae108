package spec

import (
	"io/fs"
	"os"

	"infnet/harness/task"
)

// Options are what a study needs from its surroundings, and what the command
// line says over it. The zero Options load a study of files.
type Options struct {
	// Builtin looks up a built-in generator, with an error that lists the
	// valid names. Nil = there are none.
	Builtin func(name string) (BuiltinSource, error)

	// Models holds the built-in models, a folder each: what path =
	// "builtin:NAME" names. Nil = there are none.
	Models fs.FS

	// Getenv looks up an environment variable for ${NAME}. Nil = os.LookupEnv.
	Getenv func(name string) (string, bool)

	// Use are catalogs whose models, datasets and backends take the place of
	// those of the same name in the study and its catalogs. Paths are as Load
	// takes them.
	Use []string

	// StandIns are models that are asked in place of others, in every cascade:
	// from a role (student: the first, master: the last) or a model's name to a
	// model's name. A name goes before a role.
	StandIns map[string]string

	// Published lists the tables that report.published may name.
	Published []string

	Limit    int      // rows per dataset at most, over the specs'; 0 = as they say; at least 10
	Target   string   // the budget, over the spec's; "" = as it says
	Spending Spending // limits over the spec's; 0 = as it says
}

// BuiltinSource is what a built-in generator says of itself.
type BuiltinSource struct {
	Task      task.Kind
	Labels    []Label // in class order; a leading space of the word is dropped
	Prompt    string
	Fields    []string
	MaxTokens int
}

// Load reads a study and its catalogs from the machine's file system. Where
// anything is wrong the error is a Problems with all mistakes of all files.
// Files and folders that the study uses must exist; nothing is opened but the
// TOML files.
func Load(name string, o Options) (*Study, error) {
	return load(disk{}, name, o)
}

// LoadFS is Load in another file system: name and all paths in the spec are
// slash-separated and must stay inside it.
func LoadFS(fsys fs.FS, name string, o Options) (*Study, error) {
	return load(tree{fsys}, name, o)
}

// load is a study's table of contents: what is read, then every table of the
// spec, then what the tables mean for each other.
func load(fsys filesystem, name string, o Options) (*Study, error) {
	if o.Getenv == nil {
		o.Getenv = os.LookupEnv
	}
	r := &report{fsys: fsys, getenv: o.Getenv}
	sources, read := readSources(r, name, o)
	s := &Study{File: name, FS: fsys.system()}
	if read {
		checkStudy(s, sources.main(), o)
		checkDefinitions(s, sources, o)
	}
	if len(r.problems) > 0 {
		return nil, r.problems.Sorted(sources.names())
	}
	s.Warnings = r.warnings.Sorted(sources.names())
	s.Hash = s.hash()
	return s, nil
}

// checkStudy checks the tables that hold for the whole study.
func checkStudy(s *Study, f *file, o Options) {
	r := &f.raw
	s.Name = f.nameOf("", "study", r.Study, "give the study a name: study = \"my-study\"")
	s.Seed = checkSeed(f, or(r.Seed, 0))
	s.Cost = checkCost(f, or(r.Cost, rawCost{}))
	s.Policy = checkPolicy(f, or(r.Policy, rawPolicy{}), o.Target)
	s.Confidence = checkConfidence(f, or(r.Confidence, rawConfidence{}), s.Policy)
	s.Baselines = checkBaselines(f, r.Baselines, s.Cost, o.StandIns)
	s.Sufficiency = checkSufficiency(f, r.Sufficiency)
	s.Collect = checkCollect(f, or(r.Collect, rawCollect{}), o.Spending)
	s.Report = checkReport(f, or(r.Report, rawReport{}), o.Published)
}
