package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// verifyCommand makes a run's files again and compares them.
type verifyCommand struct {
	runFlags
	Spec  string `help:"The study's TOML file, where it is no longer where it was when the run was made." placeholder:"FILE"`
	Store string `help:"Folder of the answers." default:"runs/answers" placeholder:"DIR"`
	Jobs  int    `help:"CPU threads. 0 is all." default:"0" placeholder:"N"`
	screenFlags
	trainFlags
}

// Run computes every table, figure, record, policy and export of the run once more
// from the stored answers alone, believing no cache, in a folder of its own,
// and compares all files byte for byte. It changes nothing in the run.
func (c *verifyCommand) Run(ctx context.Context, s *streams) error {
	kept, dir, err := c.results()
	if err != nil {
		return err
	}
	made, err := readRecipe(dir)
	if err != nil {
		return err
	}
	if err := c.agrees(made); err != nil {
		return fault.Usage.Wrap(err)
	}
	again, err := os.MkdirTemp("", "infnet-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(again)
	flags := studyFlags{askedFlags: askedFlags{Store: c.Store, Out: again, Jobs: c.Jobs, screenFlags: c.screenFlags, Long: c.Yes}}
	flags.follow(made)
	if c.Spec != "" {
		flags.Spec = c.Spec
	}
	damaged, err := rebuild(ctx, &flags, s, kept, exportedFiles(dir))
	if err != nil {
		return err
	}
	differ, same, err := compareFolders(dir, again)
	if err != nil {
		return err
	}
	if len(differ) == 0 && len(damaged) > 0 {
		fmt.Fprintf(s.out, "%s: %d files made again from the answers in %s: every byte is the same, but the store is damaged, in lines that the run did not need: %s\n",
			dir, same, c.Store, strings.Join(damaged, ", "))
		return nil
	}
	if len(differ) == 0 {
		fmt.Fprintf(s.out, "%s: %d files made again from the answers in %s: every byte is the same\n", dir, same, c.Store)
		return nil
	}
	for _, d := range differ {
		fmt.Fprintf(s.out, "%s\n", d)
	}
	return fault.Differs.Wrap(fmt.Errorf("%s: %d of %d files are not what the answers in %s give%s", dir, len(differ), len(differ)+same, c.Store, likelyCause(kept, damaged)))
}

// agrees refuses other models or catalogs than the run was made with: here they
// can only help to find its folder.
func (c *verifyCommand) agrees(made recipe) error {
	if len(c.ModelOverride) > 0 && !maps.Equal(c.ModelOverride, made.ModelOverride) || len(c.Use) > 0 && !slices.Equal(c.Use, made.Use) {
		return errors.New("--model-override and --use are not those the run was made with, which its run.json holds and verify follows: leave them out, and name the run's folder")
	}
	return nil
}

// likelyCause names the most likely cause of differences, where it is known.
func likelyCause(kept *result.Study, damaged []string) string {
	if len(damaged) > 0 {
		return fmt.Sprintf(": the store is damaged at %s, where an answer may be missing; collect asks for it again", strings.Join(damaged, ", "))
	}
	if now := programVersion(); kept.Spec.Program != now {
		return fmt.Sprintf(": the run was made by infnet %s, and this is %s; analyze the study again, or verify with the version that made it", kept.Spec.Program, now)
	}
	return ": a file was changed by hand, or the answers were; analyze the study again to see what holds"
}

// rebuild writes the run's files into flags.Out. It returns where the store was
// found damaged and read all the same. exports are the files of an export to
// make too.
func rebuild(ctx context.Context, flags *studyFlags, s *streams, kept *result.Study, exports []string) (damaged []string, err error) {
	loaded, err := flags.load()
	if err != nil {
		if _, there := os.Stat(flags.Spec); flags.Spec != quickstart && errors.Is(there, fs.ErrNotExist) {
			return nil, fault.Spec.Wrap(fmt.Errorf("the run cannot be made again: its study %s is not there, as seen from this folder; --spec names it elsewhere", flags.Spec))
		}
		return nil, fmt.Errorf("the run cannot be made again: %w", err)
	}
	if loaded.Hash != kept.Spec.SpecHash {
		return nil, fault.Differs.Wrap(fmt.Errorf("the study %s is no longer the one the run was made from (it was %.12s…, it is %.12s…%s): a run is verified against its own study; "+
			"bring back the spec of then, or run the study again", flags.Spec, kept.Spec.SpecHash, loaded.Hash, without(loaded)))
	}
	st, err := flags.open(ctx, s, stored)
	if err != nil {
		return nil, err
	}
	out, err := st.analyze(ctx, true)
	st.screen.wait()
	if err != nil {
		return nil, fmt.Errorf("the run cannot be made again from the answers in %s (--store names another folder): %w", flags.Store, err)
	}
	if err := st.write(&streams{in: s.in, out: io.Discard, err: s.err}, out); err != nil {
		return st.damaged, err
	}
	_, err = writeExports(out.Result, st.out, filepath.Join(st.out, exportFolder), exports)
	return st.damaged, err
}

// without names what the study lacks on this machine, which makes another study
// of it.
func without(s *spec.Study) string {
	if len(s.LeftOut) == 0 {
		return ""
	}
	return ", without " + strings.Join(s.LeftOut, ", ") + ": the environment variables of their if_set are not set here"
}

// compareFolders compares the files of a run with those made again. Files that
// no run makes and the cache are not looked at.
func compareFolders(kept, again string) (differ []string, same int, err error) {
	old, err := runFiles(kept)
	if err != nil {
		return nil, 0, err
	}
	fresh, err := runFiles(again)
	if err != nil {
		return nil, 0, err
	}
	names := slices.Concat(old, fresh)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if name == recipeFile {
			continue // how the run was asked for, which was followed
		}
		switch {
		case !slices.Contains(old, name):
			differ = append(differ, name+": missing")
		case !slices.Contains(fresh, name):
			differ = append(differ, name+": not made by this study")
		default:
			where, err := firstDifference(filepath.Join(kept, name), filepath.Join(again, name))
			if err != nil {
				return nil, 0, err
			}
			if where != "" {
				differ = append(differ, name+": "+where)
			} else {
				same++
			}
		}
	}
	return differ, same, nil
}

// runFiles lists what a run writes, relative to its folder, with slashes.
func runFiles(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		first, _, inside := strings.Cut(rel, "/")
		switch {
		case d.IsDir() && rel == exportFolder:
			for _, name := range exportedFiles(dir) {
				names = append(names, exportFolder+"/"+name)
			}
			return fs.SkipDir
		case d.IsDir() && rel != "." && !slices.Contains(runFolders, first):
			return fs.SkipDir
		case d.IsDir(), strings.HasPrefix(d.Name(), "."):
			return nil
		case inside || slices.Contains([]string{resultsFile, recordsFile, recipeFile}, rel):
			names = append(names, rel)
		}
		return nil
	})
	return names, err
}

// runFolders are those of a run's folder that hold nothing but its results.
var runFolders = []string{tablesFolder, figuresFolder, policiesFolder}
