package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
)

// verifyCommand reproduces a run's files and compares them.
type verifyCommand struct {
	runFlags
	Spec  string `help:"The study's TOML file, where it is no longer where it was when the run was made." placeholder:"FILE"`
	Store string `help:"Folder of the answers." default:"runs/answers" placeholder:"DIR"`
	screenFlags
}

// Run reproduces every table, figure, record, policy and export of the run from the stored answers
// alone, without the cache, in a temporary folder, and compares all files byte for byte. It changes
// nothing in the run.
func (c *verifyCommand) Run(ctx context.Context, s *streams) error {
	kept, dir, err := c.results()
	if err != nil {
		return err
	}
	made, err := folder.ReadRecipe(dir)
	if err != nil {
		return err
	}
	if len(c.ModelOverride) > 0 && !maps.Equal(c.ModelOverride, made.ModelOverride) ||
		len(c.Use) > 0 && len(made.Use) == 0 { // the flags may only help to find the run's folder, and its catalogs
		return fault.Usage.Wrap(errors.New("--model-override and --use are not those the run was made with, which its " +
			"run.json holds and verify follows: leave them out, and name the run's folder"))
	}
	again, err := os.MkdirTemp("", "infnet-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(again)
	flags := &studyFlags{askedFlags: askedFlags{Store: c.Store, Out: again, screenFlags: c.screenFlags}}
	flags.follow(made)
	if c.Spec != "" {
		flags.Spec = c.Spec
	}
	if len(c.Use) > 0 { // the same catalogs, elsewhere now: the study's hash tells others apart
		flags.Use = c.Use
	}
	loaded, err := flags.load()
	if err != nil {
		if _, there := os.Stat(flags.Spec); flags.Spec != quickstart && errors.Is(there, fs.ErrNotExist) {
			return fault.Spec.Wrap(fmt.Errorf("the run cannot be made again: its study %s is not there, as seen from "+
				"this folder; --spec names it elsewhere", flags.Spec))
		}
		return fmt.Errorf("the run cannot be made again: %w", err)
	}
	if err := pipeline.SameStudy(loaded, flags.Spec, kept); err != nil {
		return err
	}
	st, err := flags.openLoaded(ctx, s, loaded, pipeline.Hub{Access: pipeline.CacheOnly, Why: asksNobody})
	if err != nil {
		return err
	}
	found, err := st.Verify(ctx, dir, made)
	st.screen.wait()
	if err != nil {
		return err
	}
	damaged := strings.Join(st.Damaged(), ", ")
	if len(found.Differ) == 0 {
		verdict := "every byte is the same"
		if damaged != "" {
			verdict += ", but the store is damaged, in lines that the run did not need: " + damaged
		}
		fmt.Fprintf(s.out, "%s: %d files made again from the answers in %s: %s\n", dir, found.Same, c.Store, verdict)
		return nil
	}
	for _, d := range found.Differ {
		fmt.Fprintf(s.out, "%s\n", d)
	}
	return fault.Differs.Wrap(fmt.Errorf("%s: %d of %d files are not what the answers in %s give: a file or an answer "+
		"was changed, or infnet was (it made the run as %s, and is %s); analyze the study again to see what holds", dir,
		len(found.Differ), len(found.Differ)+found.Same, c.Store, kept.Spec.Program, programVersion()))
}
