package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"infnet/harness/certificate"
	"infnet/harness/pipeline/folder"
)

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
	to := c.To
	if to == "" {
		to = filepath.Join(dir, folder.Certificate)
	}
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
