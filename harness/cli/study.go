package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"infnet/experiments"
	"infnet/harness/collect"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
	"infnet/harness/spec"
)

// studyFlags are the flags of every command that reads a spec.
type studyFlags struct {
	Spec string `arg:"" help:"The study's TOML file, or \"quickstart\" for the built-in one."`
	askedFlags
}

// askedFlags are the options for opening a study.
type askedFlags struct {
	Limit  rowLimit `help:"Use at most N rows of each dataset (over the spec's limit)." placeholder:"N"`
	Target string   `help:"Error budget over the spec's: master, student, best, min or a number in [0,1]." placeholder:"T"`
	Out    string   `help:"Folder of results and tables. Default: runs/STUDY." placeholder:"DIR"`
	Store  string   `help:"Folder of the answers, shared by all studies." default:"runs/answers" placeholder:"DIR"`
	Jobs   threads  `help:"CPU threads. Default: all." placeholder:"N"`
	overrideFlags
	screenFlags

	Part   collect.Shard `kong:"-"` // of everything that is collected
	Models []string      `kong:"-"` // that are called; nil = all
}

// threads is a number of CPU threads of the program; 0 = all.
type threads uint

func (n threads) AfterApply() error {
	if n > 0 {
		runtime.GOMAXPROCS(int(n))
	}
	return nil
}

// screenFlags say how a command reports what it does.
type screenFlags struct {
	Quiet bool `help:"No progress and no log lines below warnings; results are still printed."`
}

// study is an opened study, and the screen that shows what it does.
type study struct {
	*pipeline.Study
	screen *screen
}

// quickstart is the name of the built-in study, where no file has it.
const quickstart = "quickstart"

// load reads the spec alone.
func (f *studyFlags) load() (*spec.Study, error) {
	options := spec.Options{Limit: int(f.Limit), Target: f.Target, Use: f.Use, StandIns: f.ModelOverride}
	var system fs.FS
	name := f.Spec
	if _, err := os.Stat(name); name == quickstart && errors.Is(err, fs.ErrNotExist) {
		system, name = experiments.Files, experiments.Quickstart
	}
	return pipeline.Load(system, name, options)
}

// Why nothing is downloaded, and what to do about it.
const (
	offlineAsked = "--offline is set: run once without it"
	asksNobody   = "only infnet run and infnet collect download: run one of them first"
)

// open reads the spec, its datasets, and the identities of its models.
func (f *studyFlags) open(ctx context.Context, s *streams, hub pipeline.Hub) (*study, error) {
	loaded, err := f.load()
	if err != nil {
		return nil, err
	}
	return f.openLoaded(ctx, s, loaded, hub)
}

// openLoaded opens a study whose spec was read before.
func (f *studyFlags) openLoaded(ctx context.Context, s *streams, loaded *spec.Study, hub pipeline.Hub) (*study, error) {
	screen := newScreen(s.err, f.screenFlags)
	st, err := pipeline.Open(ctx, loaded, pipeline.Options{
		Store: f.Store, Out: cmp.Or(f.Out, runFolder(loaded)), Program: programVersion(),
		Hub: hub, Events: screen, Hurry: s.hurry, Shard: f.Part, Only: f.Models,
	})
	if err != nil {
		screen.wait()
		return nil, err
	}
	return &study{st, screen}, nil
}

// recipe returns the flags as a recipe.
func (f *studyFlags) recipe() folder.Recipe {
	return folder.Recipe{
		Spec: filepath.ToSlash(filepath.Clean(f.Spec)), Limit: int(f.Limit), Target: f.Target, Use: f.Use,
		ModelOverride: f.ModelOverride,
	}
}

// follow sets the flags from a recipe.
func (f *studyFlags) follow(r folder.Recipe) {
	f.Spec, f.Limit, f.Target = filepath.FromSlash(r.Spec), rowLimit(r.Limit), r.Target
	f.Use, f.ModelOverride = r.Use, r.ModelOverride
}
