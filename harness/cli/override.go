package cli

import (
	"path/filepath"

	"infnet/harness/spec"
)

// overrideFlags replace models, datasets and servers of a study.
type overrideFlags struct {
	ModelOverride map[string]string `help:"Ask other models in place of a study's, by role (student, master, encoder, embedder, scorer) or name: student=tiny-student,master=tiny-master. Tables say so." mapsep:"," placeholder:"WHO=MODEL"`
	Use           []string          `help:"Catalog whose models, datasets and backends take the place of those of the same name in the study. Several times for several; the last one counts." sep:"none" placeholder:"FILE"`
}

// runsFolder is where results are by default.
const runsFolder = "runs"

// runFolder is the default folder of a study's results. Results of replaced language models go to a
// folder of their own.
func runFolder(s *spec.Study) string {
	name := s.Name
	if s.AsksOthers() {
		name += "-stand-in"
	}
	return filepath.Join(runsFolder, name)
}
