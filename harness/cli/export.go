package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"infnet/harness/importer"
	"infnet/harness/pipeline/folder"
	"infnet/harness/result"
	"infnet/harness/store"
	"infnet/reports/tidy"
)

// exportCommand writes a run as tidy tables.
type exportCommand struct {
	runFlags
	To     string `help:"Folder to write to. Default: export in the run's folder." placeholder:"DIR"`
	Format string `help:"tidy (Parquet and CSV with a data dictionary) or every-eval-ever (instances, version 0.3, a file per model and dataset)." enum:"tidy,every-eval-ever" default:"tidy"`
}

func (c *exportCommand) Run(_ context.Context, s *streams) error {
	r, dir, err := c.results()
	if err != nil {
		return err
	}
	to := c.To
	if to == "" {
		to = filepath.Join(dir, folder.Export)
	}
	if c.Format == "every-eval-ever" {
		return writeEvalEver(s, r, dir, to)
	}
	paths, err := folder.WriteExports(r, dir, to, tidy.Files)
	for _, path := range paths {
		fmt.Fprintln(s.out, path)
	}
	return err
}

// writeEvalEver writes a file of instances for every model and dataset.
func writeEvalEver(s *streams, r *result.Results, dir, to string) error {
	done := map[string]bool{}
	for _, cascade := range r.Cascades {
		for _, d := range cascade.Datasets {
			for _, model := range cascade.Models {
				path := filepath.Join(to, model+"."+d.Name+"_samples.jsonl")
				if done[path] {
					continue
				}
				done[path] = true
				if err := store.WriteTo(path, func(w io.Writer) error {
					_, err := importer.WriteEvalEver(w, r, result.Records(dir), model, d.Name)
					return err
				}); err != nil {
					return err
				}
				fmt.Fprintln(s.out, path)
			}
		}
	}
	return nil
}
