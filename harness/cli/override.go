package cli

import (
	"path/filepath"

	"infnet/harness/spec"
)

// overrideFlags put other models, datasets and servers in the place of a
// study's.
type overrideFlags struct {
	ModelOverride map[string]string `help:"Ask other models in place of a study's, by role (student, master, encoder, embedder, scorer) or name: student=tiny-student,master=tiny-master. Tables say so." mapsep:"," placeholder:"WHO=MODEL"`
	Use           []string          `help:"Catalog whose models, datasets and backends take the place of those of the same name in the study. Several times for several." sep:"none" placeholder:"FILE"`
}

// runsFolder is where results are by default.
const runsFolder = "runs"

// runFolder is the default folder of a study's results. Those of other
// language models never go where the study's own do.
func runFolder(s *spec.Study) string {
	name := s.Name
	if s.AsksOthers() {
		name += "-stand-in"
	}
	return filepath.Join(runsFolder, name)
}
