package question

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// Programmed reports whether a program grades the answers to a dataset.
func Programmed(d *spec.Dataset) bool { return slices.Contains(d.Correct.All(), task.Command) }

// ToGrade is an answer to example i as a program is given it to grade, and as its grade is found again: the fields and
// references of the example, and the answer as it was extracted. It leaves out the example's id, which is its row's
// number where a dataset has none: the order of rows changes no grade.
func (s *Sheet) ToGrade(i int, answer string) backends.Pair {
	given := struct {
		Fields     map[string]string `json:"fields"`
		References []string          `json:"references"`
	}{map[string]string{}, append([]string{}, s.Set.Examples[i].References...)}
	maps.Copy(given.Fields, s.Set.Fields(i))
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(given); err != nil {
		panic("question: texts have no JSON: " + err.Error())
	}
	return backends.Pair{Source: string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), Target: answer}
}
