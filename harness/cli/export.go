package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"infnet/harness/certificate"
	"infnet/harness/pipeline/folder"
	"infnet/harness/store"
	"infnet/reports/tidy"
)

// exportCommand writes a run as tidy tables.
type exportCommand struct {
	runFlags
	To string `help:"Folder to write to. Default: export in the run's folder." placeholder:"DIR"`
}

func (c *exportCommand) Run(_ context.Context, s *streams) error {
	r, dir, err := c.results()
	if err != nil {
		return err
	}
	to := cmp.Or(c.To, filepath.Join(dir, folder.Export))
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
