package outcomes

import (
	"maps"
	"slices"
	"strings"

	"infnet/harness/dataset/files"
)

// The names by which columns of logs are recognised, best first. Files of recorded answers have names of their own, of
// which some mean something else: a score is a confidence here and a grade there (package importer).
var (
	ConfidenceNames = []string{"confidence", "beta", "score", "student_confidence", "student_score"}
	ClassNames      = []string{"class", "label", "prediction", "student_class", "student_prediction"}
	IDNames         = []string{"id", "query_id", "record_id"}
	studentNames    = []string{"student", "student_correct", "student_right", "student_answer", "student_prediction",
		"student_class"}
	masterNames = []string{"master", "master_correct", "master_right", "master_answer", "master_prediction",
		"master_class"}
	referenceNames   = []string{"reference", "gold", "answer", "truth"}
	groupNames       = []string{"group", "cluster", "source"}
	studentCostNames = []string{"student_cost", "cost_student"}
	masterCostNames  = []string{"master_cost", "cost_master"}
	textNames        = []string{"text", "prompt", "question", "query", "input"} // of the query itself
)

// ColumnOf returns the given column, else the first of the names that a row has and that has no other use, "" where
// there is none. It recognises the columns of rows that come one by one.
func ColumnOf(given string, names []string, row files.Row, taken ...string) string {
	if given != "" {
		return given
	}
	have := slices.Sorted(maps.Keys(row.Values))
	for _, name := range names {
		for _, column := range have {
			if strings.EqualFold(column, name) && !slices.Contains(taken, column) {
				return column
			}
		}
	}
	return ""
}
