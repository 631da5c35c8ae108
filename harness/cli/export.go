package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"infnet/harness/pipeline/folder"
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
	to := c.To
	if to == "" {
		to = filepath.Join(dir, folder.Export)
	}
	paths, err := folder.WriteExports(r, dir, to, tidy.Files)
	for _, path := range paths {
		fmt.Fprintln(s.out, path)
	}
	return err
}
