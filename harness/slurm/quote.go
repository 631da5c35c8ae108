package slurm

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"infnet/backends/engine"
	"infnet/harness/spec"
)

// quoted quotes each word.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = engine.Quote(w)
	}
	return out
}

// option is a line that sbatch reads: it divides lines into words as a shell does, with quotes and
// backslashes, and expands nothing.
func option(name, value string) string {
	if engine.Quote(value) == value {
		return "#SBATCH --" + name + "=" + value
	}
	return "#SBATCH --" + name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// logPath is a folder as part of sbatch's --output, in which % begins a pattern.
func logPath(folder string) string { return strings.ReplaceAll(folder, "%", "%%") }

// checkPath refuses paths that no job script can hold.
func checkPath(what, path string) error {
	switch {
	case strings.ContainsFunc(path, unicode.IsControl):
		return fmt.Errorf("%s %q: a line break or another control character is in its name, which sbatch cannot take: "+
			"rename the folder or name another one", what, path)
	case strings.Contains(path, `\`):
		return fmt.Errorf("%s %s: sbatch does not take a backslash in a path: rename the folder or name another one", what,
			path)
	}
	return nil
}

// jobName is a part of a job's name.
func jobName(s string) string { return cmp.Or(spec.Slug(s, 40), "x") }
