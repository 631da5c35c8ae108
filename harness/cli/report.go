package cli

import (
	"context"
	"fmt"
	"os"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
)

// runFlags name a study that was run before.
type runFlags struct {
	Run string `arg:"" name:"run" help:"A run's folder (runs/STUDY), or the study's TOML file."`
	Out string `help:"The run's folder, where a TOML file is named and it is not runs/STUDY." placeholder:"DIR"`
	overrideFlags
}

// folder returns the run's folder.
func (f *runFlags) folder() (string, error) {
	info, err := os.Stat(f.Run)
	switch {
	case err == nil && info.IsDir():
		return f.Run, nil
	case f.Out != "":
		return f.Out, nil
	case err != nil && f.Run != quickstart:
		return "", fault.Usage.Wrap(fmt.Errorf("no run and no spec at %s: name a folder such as runs/quickstart, or the "+
			"study's TOML file", f.Run))
	}
	loaded, err := (&studyFlags{Spec: f.Run, askedFlags: askedFlags{overrideFlags: f.overrideFlags}}).load()
	if err != nil {
		return "", err
	}
	return runFolder(loaded), nil
}

// results reads the run's results.
func (f *runFlags) results() (*result.Results, string, error) {
	dir, err := f.folder()
	if err != nil {
		return nil, "", err
	}
	r, err := result.ReadFolder(dir)
	return r, dir, err
}

// reportCommand writes the tables again.
type reportCommand struct {
	runFlags
}

func (c *reportCommand) Run(_ context.Context, s *streams) error {
	r, dir, err := c.results()
	if err != nil {
		return err
	}
	folder.Sweep(dir)
	w, err := folder.WriteTables(dir, r)
	if err != nil {
		return err
	}
	how, _ := folder.ReadRecipe(dir) // a run of long ago has none; the page then names no command
	if err := folder.WritePage(dir, r, how); err != nil {
		return err
	}
	return show(s, r, dir, w, true)
}
