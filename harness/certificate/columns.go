package certificate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/metrics"
)

// readColumns returns the lines of every cascade's records of every dataset: those that the numbers rest on.
func readColumns(dir string, all *result.Results) (map[[2]string]*bytes.Buffer, error) {
	out, judged := map[[2]string]*bytes.Buffer{}, map[[2]string]bool{}
	for _, c := range all.Cascades {
		for _, d := range c.Datasets {
			judged[[2]string{c.Name, d.Name}] = slices.Contains(strings.Split(d.Rule, ", "), "judge")
		}
	}
	for r, err := range result.Records(dir) {
		if err != nil {
			return nil, err
		}
		if r.Part == result.PartUnused {
			continue
		}
		key := [2]string{r.Cascade, r.Dataset}
		if out[key] == nil {
			out[key] = &bytes.Buffer{}
		}
		line, err := json.Marshal(newRecord(r, judged[key]))
		if err != nil {
			return nil, err
		}
		out[key].Write(append(line, '\n'))
	}
	return out, nil
}

func newRecord(r result.Record, judged bool) record {
	people := []float64{}
	out := record{ID: r.ID, Part: r.Part, Group: r.Group, Reference: r.Class, Final: map[string]int{}}
	for _, m := range r.Models {
		out.Class, out.Beta, out.Error = append(out.Class, m.Class), append(out.Beta, m.Beta), append(out.Error, m.Error)
		out.Cost = append(out.Cost, m.Cost)
		scores := map[string]result.Float{}
		for name, score := range m.Scores {
			if known, err := metrics.Get(metrics.Name(name)); err == nil && known.Value == nil { // a table has the mean
				scores[name] = score
			}
		}
		out.Scores = append(out.Scores, scores)
		if right := m.Human; right != nil && *right {
			people = append(people, 0)
		} else if right != nil {
			people = append(people, 1)
		}
	}
	if len(people) < len(r.Models) {
		people = people[:0] // a promise rests on records of which people graded every answer
	}
	if judged {
		out.People = &people
	}
	for _, d := range r.Decisions {
		switch {
		case d.Asked != nil:
			out.Final[d.Policy] = d.Stage
		case d.Deferred:
			out.Final[d.Policy] = len(r.Models) - 1
		default:
			out.Final[d.Policy] = 0
		}
	}
	return out
}
