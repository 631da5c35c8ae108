package certificate

import (
	"bytes"
	"encoding/json"

	"infnet/harness/result"
	"infnet/metrics"
)

// readColumns returns the lines of every cascade's records of every dataset: those that the numbers rest on.
func readColumns(dir string) (map[[2]string]*bytes.Buffer, error) {
	out := map[[2]string]*bytes.Buffer{}
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
		line, err := json.Marshal(newRecord(r))
		if err != nil {
			return nil, err
		}
		out[key].Write(append(line, '\n'))
	}
	return out, nil
}

func newRecord(r result.Record) record {
	out := record{ID: r.ID, Part: r.Part, Group: r.Group, Reference: r.Class, Final: map[string]int{}}
	for _, m := range r.Models {
		out.Class, out.Beta, out.Error = append(out.Class, m.Class), append(out.Beta, m.Beta), append(out.Error, m.Error)
		out.Cost, out.Seconds = append(out.Cost, m.Cost), append(out.Seconds, m.LatencySecs)
		scores := map[string]result.Float{}
		for name, score := range m.Scores {
			if known, err := metrics.Get(metrics.Name(name)); err == nil && known.Value == nil { // a table has the mean
				scores[name] = score
			}
		}
		out.Scores = append(out.Scores, scores)
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
