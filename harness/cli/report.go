package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/harness/result/style"
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

// lookFlags are the settings of [report] that change no number, for tables that are written elsewhere.
type lookFlags struct {
	To          string `help:"Write the tables and figures into this folder, and leave the run's as they are; the other flags need it." placeholder:"DIR"`
	style.Style `embed:""`
}

// check refuses settings that cannot be, and settings for the run's own folder, whose files verify
// compares with the study.
func (f *lookFlags) check() error {
	if key, err := f.Style.Check(); err != nil {
		return fault.Usage.Wrap(fmt.Errorf("--%s: %w", key, err))
	}
	if f.To == "" && !reflect.ValueOf(f.Style).IsZero() {
		return fault.Usage.Wrap(errors.New("these settings are not the study's, and verify would find other tables in " +
			"the run's " +
			"folder: name another one with --to, or set them in [report] and run infnet analyze"))
	}
	if f.To != "" {
		return folder.Writable(f.To)
	}
	return nil
}

// elsewhere writes the tables and figures in another style to another folder.
func (f *lookFlags) elsewhere(s *streams, r *result.Results) error {
	into, from := reflect.ValueOf(&r.Style).Elem(), reflect.ValueOf(f.Style)
	for i := range from.NumField() {
		if x := from.Field(i); !x.IsZero() {
			into.Field(i).Set(x)
		}
	}
	w, err := folder.CopyTables(f.To, r)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Written to %s: %d files of tables, %d of figures\n", f.To, w.Tables, w.Figures)
	return nil
}

// outdated warns where a spec asks for other tables than the run was made with.
func (c *reportCommand) outdated(s *streams, r *result.Results) {
	if info, err := os.Stat(c.runFlags.Run); err != nil || info.IsDir() {
		return
	}
	loaded, err := (&studyFlags{Spec: c.runFlags.Run, askedFlags: askedFlags{overrideFlags: c.overrideFlags}}).load()
	if err == nil && !reflect.DeepEqual(loaded.Report.Style, r.Style) {
		fmt.Fprintf(s.err, "infnet: the looks in [report] of %s are not those of the run: infnet analyze %s takes "+
			"them over\n",
			c.runFlags.Run, c.runFlags.Run)
	}
}

// reportCommand writes the tables again.
type reportCommand struct {
	runFlags
	lookFlags
	Brief bool `help:"Print only what a run ends with, not every table."`
}

func (c *reportCommand) Run(_ context.Context, s *streams) error {
	if err := c.check(); err != nil {
		return err
	}
	r, dir, err := c.results()
	if err != nil {
		return err
	}
	c.outdated(s, r)
	if c.To != "" {
		return c.elsewhere(s, r)
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
	return show(s, r, dir, w, !c.Brief)
}
