package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"infnet/harness/certificate"
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
	Format string `help:"tidy (Parquet and CSV with a data dictionary) or every-eval-ever (version 0.3: an aggregate and its instances per model and dataset)." enum:"tidy,every-eval-ever" default:"tidy"`
}

func (c *exportCommand) Run(_ context.Context, s *streams) error {
	r, dir, err := c.results()
	if err != nil {
		return err
	}
	to := cmp.Or(c.To, filepath.Join(dir, folder.Export))
	if c.Format == "every-eval-ever" {
		return elsewhere(writeEvalEver(s, r, dir, to), "--to")
	}
	paths, err := folder.WriteExports(r, dir, to, tidy.Files)
	for _, path := range paths {
		fmt.Fprintln(s.out, path)
	}
	return elsewhere(err, "--to")
}

// elsewhere makes an error of a write name the flag that names another place, where that is not --out.
func elsewhere(err error, flag string) error {
	var w *store.WriteError
	if errors.As(err, &w) {
		w.Hint = strings.ReplaceAll(w.Hint, "--out", flag)
	}
	return err
}

// writeEvalEver writes instances and an aggregate for every model and dataset, in the folders of the datastore.
func writeEvalEver(s *streams, r *result.Results, dir, to string) error {
	info, err := os.Stat(filepath.Join(dir, result.ResultsFile))
	if err != nil {
		return err
	}
	done := map[[2]string]bool{}
	for _, cascade := range r.Cascades {
		for _, d := range cascade.Datasets {
			for _, model := range cascade.Models {
				if done[[2]string{model, d.Name}] {
					continue
				}
				done[[2]string{model, d.Name}] = true
				if err := writeOne(s, to, importer.EvalEver{Results: r, Records: result.Records(dir), Model: model,
					Dataset: d.Name, Retrieved: info.ModTime().Unix()}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// writeOne writes the instances of one model and dataset, and their aggregate.
func writeOne(s *streams, to string, x importer.EvalEver) error {
	path := filepath.Join(to, filepath.FromSlash(x.Path()))
	var log any
	if err := store.WriteTo(path+"_samples.jsonl", func(w io.Writer) (err error) {
		log, err = x.Instances(w)
		return err
	}); err != nil {
		return err
	}
	text, err := json.MarshalIndent(log, "", "  ")
	if err == nil {
		err = store.WriteFile(path+".json", append(text, '\n'))
	}
	if err == nil {
		_, err = fmt.Fprintln(s.out, path+".json")
	}
	return err
}

// certifyCommand writes what a reviewer needs to check a run.
type certifyCommand struct {
	runFlags
	To string `help:"Folder to write to. Default: certificate in the run's folder." placeholder:"DIR"`
}

func (c *certifyCommand) Run(_ context.Context, s *streams) error {
	r, dir, err := c.results()
	if err != nil {
		return err
	}
	to := cmp.Or(c.To, filepath.Join(dir, folder.Certificate))
	paths, err := certificate.Write(dir, to, r)
	if err != nil {
		return elsewhere(err, "--to")
	}
	for _, path := range paths {
		fmt.Fprintln(s.out, path)
	}
	_, err = fmt.Fprintf(s.out, "Check it, without infnet: python3 %s\n", filepath.Join(to, certificate.Program))
	return err
}
