package importer

import (
	"fmt"
	"path/filepath"
	"strings"

	"infnet/harness/recorded"
)

// Aggregate is an aggregate of Every Eval Ever, whose instances are imported in its place.
type Aggregate struct {
	Path    string
	Samples string // the file of its instances
	Log     recorded.EvalEverLog
}

// aggregates replaces aggregates of Every Eval Ever among the files by the instances that they name, which may be among
// the files too.
func (s *scan) aggregates() error {
	var files []string
	named := map[string]bool{} // by an aggregate
	for _, path := range s.o.Files {
		if !strings.HasSuffix(strings.ToLower(strings.TrimSuffix(path, ".gz")), ".json") {
			files = append(files, path)
			continue
		}
		log, ok, err := recorded.ReadEvalEverLog(s.o.options(path))
		if err == nil && ok {
			a := Aggregate{Path: path, Log: log}
			a.Samples, err = recorded.SamplesOf(s.o.options(path), log)
			s.found.Aggregates = append(s.found.Aggregates, a)
			files, named[filepath.Clean(a.Samples)] = append(files, a.Samples), true
		} else {
			files = append(files, path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	s.o.Files = nil
	taken := map[string]bool{}
	for _, f := range files {
		if name := filepath.Clean(f); !named[name] || !taken[name] {
			s.o.Files, taken[name] = append(s.o.Files, f), true
		}
	}
	return nil
}

// String says what an aggregate holds.
func (a *Aggregate) String() string {
	var out []string
	for _, r := range a.Log.Results {
		metric := r.Metric.Name
		if metric == "" {
			metric = "score"
		}
		text := fmt.Sprintf("%s on %s: %s %.6g", a.Log.Model.ID, r.Name, strings.ToLower(metric), r.Score.Score)
		if u := r.Score.Uncertainty; u != nil && u.Error != nil {
			text += fmt.Sprintf(" ± %.2g", u.Error.Value)
		}
		if g := r.Generation; g != nil && g.Args.Temperature != nil {
			text += fmt.Sprintf(", temperature %g", *g.Args.Temperature)
		}
		if g := r.Generation; g != nil && g.Args.MaxTokens > 0 {
			text += fmt.Sprintf(", at most %d tokens", g.Args.MaxTokens)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// tally is what the instances of one file say of one result.
type tally struct {
	n   int
	sum float64
}

// score adds the score of an instance.
func (s *scan) score(path string, r recorded.Row) {
	if r.Score == nil || len(s.found.Aggregates) == 0 {
		return
	}
	if s.scores == nil {
		s.scores = map[string]tally{}
	}
	t := s.scores[filepath.Clean(path)]
	s.scores[filepath.Clean(path)] = tally{t.n + 1, t.sum + *r.Score}
}

// agree compares aggregates with their instances.
func (s *scan) agree() {
	for _, a := range s.found.Aggregates {
		t := s.scores[filepath.Clean(a.Samples)]
		if declared := a.Log.Samples.Rows; declared > 0 && declared != t.n {
			s.remark("%s says that there are %d instances, and %s has %d", a.Path, declared, a.Samples, t.n)
		}
		if len(a.Log.Results) != 1 || t.n == 0 { // with several, an instance may belong to any of them
			continue
		}
		r, mean := a.Log.Results[0], t.sum/float64(t.n)
		low, lowOK := r.Metric.Min.(float64)
		high, highOK := r.Metric.Max.(float64)
		if diff := r.Score.Score - mean; lowOK && highOK && low == 0 && high == 1 && (diff > 1e-6 || diff < -1e-6) {
			s.remark("%s says that the score is %.6g, and the mean of its %d instances is %.6g", a.Path, r.Score.Score, t.n,
				mean)
		}
		if r.Metric.Lower {
			s.remark("%s says that a lower score is better: is_correct counts, and not the score", a.Path)
		}
	}
}
