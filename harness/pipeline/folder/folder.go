// Package folder is the folder of a run: results.json, records.jsonl, run.json,
// report.html, tables, figures, fitted policies and exports. It owns the files' names, writes
// them, and compares two folders byte by byte. It refuses to compute anything.
//
// Its opinion: the folder holds a single run. Everything is encoded before the first file is
// touched, and files of an earlier run are deleted.
package folder

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"infnet/harness/analyze"
	"infnet/harness/policy/deploy"
	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/reports"
	"infnet/reports/figure"
	"infnet/reports/page"
	"infnet/reports/tidy"
)

// Files and folders of a run's folder.
const (
	Results  = "results.json"
	Page     = "report.html" // all of it to look at
	Records  = "records.jsonl"
	RunFile  = "run.json" // the command of the run
	Tables   = "tables"
	Figures  = "figures"
	Policies = "policies.toml" // fitted thresholds
	Servers  = "servers"       // logs of the servers that the study started
	Slurm    = "slurm"         // scripts, logs and the list of the jobs that the study was submitted as
	Batch    = "batch"         // requests for a provider's batch interface, and their manifest
	Export   = "export"        // where exports go by default
	// where certify writes by default
	Certificate = "certificate"
)

// Written says how many files of a kind were written.
type Written struct{ Tables, Figures, Policies, Exports int }

// Write writes an analysed study to dir. An existing export is written again, because it must not
// be next to results that it does not belong to.
func Write(dir string, out *analyze.Output, how Recipe) (w Written, err error) {
	Sweep(dir)
	results, err := result.Encode(out.Result)
	if err != nil {
		return w, err
	}
	policies, count, err := deployments(out)
	if err != nil {
		return w, err
	}
	if err := store.WriteFile(filepath.Join(dir, Results), results); err != nil {
		return w, err
	}
	var html []byte
	var group errgroup.Group
	group.Go(func() (err error) {
		html, err = writeRecords(dir, out, how)
		return err
	})
	group.Go(func() (err error) {
		w, err = WriteTables(dir, out.Result)
		return err
	})
	if err := group.Wait(); err != nil {
		return w, err
	}
	if err := writeRecipe(dir, how); err != nil {
		return w, err
	}
	if err := errors.Join(put(filepath.Join(dir, Policies), policies), put(filepath.Join(dir, Page), html)); err != nil {
		return w, err
	}
	exports, err := WriteExports(out.Result, dir, filepath.Join(dir, Export), Exported(dir))
	w.Policies, w.Exports = count, len(exports)
	if err != nil {
		return w, err
	}
	return w, remove(filepath.Join(dir, unfinishedFile)) // the results are those of the last run
}

// put writes a file, or removes that of an earlier run where there is none.
func put(path string, content []byte) error {
	if content == nil {
		return remove(path)
	}
	return store.WriteFile(path, content)
}

// remove removes a file of an earlier run, if it is there.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &store.WriteError{Op: "remove", Path: path, Err: err,
			Hint: "remove it by hand, as it is of an earlier run, or name another folder with --out"}
	}
	return nil
}

// WriteTables writes the tables and figures of results, and removes those of an earlier run.
func WriteTables(dir string, r *result.Results) (Written, error) {
	tables, figures, err := writeTables(dir, r)
	if err == nil {
		err = keepOnly([]string{filepath.Join(dir, Tables)}, tables, ".md", ".tex", ".csv")
	}
	if err == nil {
		err = keepOnly(foldersIn(filepath.Join(dir, Figures)), figures, ".svg", ".pdf")
	}
	return Written{Tables: len(tables), Figures: len(figures)}, err
}

// writeTables writes tables and figures and returns their paths.
func writeTables(dir string, r *result.Results) (tables, figures []string, err error) {
	if tables, err = reports.Write(r, filepath.Join(dir, Tables), store.WriteFile); err == nil {
		figures, err = figure.Write(r, filepath.Join(dir, Figures), store.WriteFile)
	}
	return tables, figures, err
}

// writeRecords writes the records, and makes the page of them on the way; nil = the study wants none.
func writeRecords(dir string, out *analyze.Output, how Recipe) (html []byte, err error) {
	err = store.WriteTo(filepath.Join(dir, Records), func(to io.Writer) (err error) {
		records := analyze.WriteLines(to, out)
		if wantsPage(out.Result) {
			html, err = buildPage(out.Result, how, records)
			return err
		}
		for _, err := range records {
			if err != nil {
				return err
			}
		}
		return nil
	})
	return html, err
}

func wantsPage(r *result.Results) bool { return r.Style.Page == nil || *r.Style.Page }

func buildPage(r *result.Results, how Recipe, records iter.Seq2[result.Record, error]) ([]byte, error) {
	var out bytes.Buffer
	err := page.Build(&out, page.Input{Results: r, Command: how.Command(), Texts: int64(r.Style.PageTexts()),
		Records: records})
	return out.Bytes(), err
}

// WritePage writes the page of the run in dir, whose results and records are there, or removes that of an earlier run
// where the study wants none.
func WritePage(dir string, r *result.Results, how Recipe) error {
	var html []byte
	if wantsPage(r) {
		var records iter.Seq2[result.Record, error]
		if _, err := os.Stat(filepath.Join(dir, Records)); err == nil {
			records = result.Records(dir)
		}
		var err error
		if html, err = buildPage(r, how, records); err != nil {
			return err
		}
	}
	return put(filepath.Join(dir, Page), html)
}

// PolicyName is the name of a fitted policy among those of a run: DATASET/POLICY, and where there are several cascades
// CASCADE/DATASET/POLICY.
func PolicyName(r *result.Results, cascade, dataset, policy string) string {
	if len(r.Cascades) > 1 {
		return cascade + "/" + dataset + "/" + policy
	}
	return dataset + "/" + policy
}

// deployments encodes every fitted policy, and returns how many there are.
func deployments(out *analyze.Output) (text []byte, count int, err error) {
	policies := map[string]deploy.File{}
	for _, b := range out.Datasets {
		list, err := b.Deployments(out.Result.Spec.AnswersHash)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range list {
			policies[PolicyName(out.Result, b.Records.Cascade.Name, b.Records.Dataset.Name, d.Name)] = d.File
		}
	}
	if len(policies) == 0 {
		return nil, 0, nil
	}
	text, err = deploy.Encode(policies)
	return text, len(policies), err
}

// Exported returns which files of an export a run's folder holds. Other files there belong to the
// user.
func Exported(dir string) []string {
	return slices.DeleteFunc(slices.Clone(tidy.Files), func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, Export, name))
		return err != nil
	})
}

// WriteExports writes the named files of the run in dir, and returns their paths.
func WriteExports(r *result.Results, dir, to string, names []string) (paths []string, err error) {
	e := tidy.NewExport(r, result.Records(dir))
	for _, name := range names {
		path := filepath.Join(to, name)
		if err := store.WriteTo(path, func(w io.Writer) error { return e.Write(w, name) }); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
