package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"infnet/harness/analyze"
	"infnet/harness/batch"
	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/harness/spec"
)

// Write shows the questions that the answers raise, and writes the study's folder. how is stored so
// that the run can be repeated.
func (st *Study) Write(out *analyze.Output, how folder.Recipe) (folder.Written, error) {
	questionAnswers(st, out)
	made := folder.ThisProgram(st.options.Program)
	how.Program, how.Settings = &made, st.Spec.Settings()
	return folder.Write(st.options.Out, out, how)
}

// SameStudy refuses to reproduce a run from a study other than its own.
func SameStudy(s *spec.Study, file string, run *result.Results) error {
	if s.Hash == run.Spec.SpecHash {
		return nil
	}
	without := ""
	if len(s.LeftOut) > 0 {
		without = ", without " + strings.Join(s.LeftOut, ", ") +
			": the environment variables of their if_set are not set here"
	}
	return fault.Differs.Wrap(fmt.Errorf("the study %s is no longer the one the run was made from (it was %.12s…, it "+
		"is %.12s…%s): a run is verified against its own study; "+
		"bring back the spec of then, or run the study again", file, run.Spec.SpecHash, s.Hash, without))
}

// Verify reproduces the files of the run in dir in the study's own folder, from the stored answers
// alone and without the cache, and compares all of them byte for byte. It changes nothing in dir.
func (st *Study) Verify(ctx context.Context, dir string, how folder.Recipe) (c folder.Comparison, err error) {
	out, err := st.Analyze(ctx, true)
	if err != nil {
		return c, fmt.Errorf("the run cannot be made again from the answers in %s (--store names another folder): %w",
			st.Store(), err)
	}
	how.Settings = st.Spec.Settings() // the program that made the run is what it says
	if _, err := folder.Write(st.options.Out, out, how); err != nil {
		return c, err
	}
	exports := filepath.Join(st.options.Out, folder.Export)
	if _, err := folder.WriteExports(out.Result, st.options.Out, exports, folder.Exported(dir)); err != nil {
		return c, err
	}
	if c, err = folder.Compare(dir, st.options.Out); err != nil {
		return c, err
	}
	same, differ, err := batch.Verify(filepath.Join(dir, folder.Batch))
	for _, d := range differ {
		c.Differ = append(c.Differ, folder.Batch+"/"+d)
	}
	c.Same += same
	return c, err
}
