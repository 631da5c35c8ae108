package importer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/recorded"
)

// aggregates replaces aggregates of Every Eval Ever among the files by the instances that they name, which may be among
// the files too.
func (s *scan) aggregates() error {
	var files []string
	for _, path := range s.o.Files {
		if strings.HasSuffix(strings.ToLower(strings.TrimSuffix(path, ".gz")), ".json") {
			instances, err := recorded.InstancesOf(s.o.options(path))
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if instances != "" {
				path = instances
			}
		}
		clean := func(other string) bool { return filepath.Clean(other) == filepath.Clean(path) }
		if !strings.HasSuffix(path, "_samples.jsonl") || !slices.ContainsFunc(files, clean) {
			files = append(files, path)
		}
	}
	s.o.Files = files
	return nil
}
