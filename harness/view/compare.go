package view

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/compare"
	"infnet/reports"
)

//go:embed compare.html
var compareText string

var comparePage = template.Must(template.New("compare").Parse(compareText))

// mostMoved is how many records that moved are listed.
const mostMoved = 100

// movedRecord is a record that two runs decide or grade differently, and where the second shows it.
type movedRecord struct {
	compare.Moved
	Whose, Link string
}

// side is what came out in one of two runs.
type side struct{ Verdict, Saved, Error string }

// outcomeRow is what came out of the same models on the same dataset.
type outcomeRow struct {
	Dataset, Models string
	Old, New        side
}

// compare shows two runs side by side, the records that moved between them first.
func (s *Site) compare(w http.ResponseWriter, r *http.Request) {
	names := [2]string{r.URL.Query().Get("old"), r.URL.Query().Get("new")}
	have, err := s.Names()
	if err != nil {
		fail(w, err)
		return
	}
	view := map[string]any{"Old": names[0], "New": names[1]}
	var runs [2]*accept.Run
	var rows []outcomeRow
	for i, name := range names {
		if !slices.Contains(have, name) {
			fail(w, errNoRun)
			return
		}
		results, err := s.results(name)
		if err == nil {
			_, err = s.stamp(name)
		}
		if err != nil {
			fail(w, err)
			return
		}
		rows = outcomes(rows, reports.Headlines(results), i)
		if runs[i], err = accept.Open(filepath.Join(s.dir, s.path(name, ""))); err != nil {
			fail(w, err)
			return
		}
	}
	view["Rows"] = rows
	c, err := compare.Runs(runs[0], runs[1], compare.Options{Alpha: 0.05})
	if err != nil {
		view["Summary"] = "The records of the two cannot be compared: " + err.Error()
	} else {
		view["Summary"] = c.Summary
		var causes []string
		for _, x := range c.Causes {
			causes = append(causes, x.Text)
		}
		view["Causes"] = causes
		list := moved(c.Moved[:min(len(c.Moved), mostMoved)], names[1])
		view["Moved"], view["More"] = list, len(c.Moved)-len(list)
	}
	w.Header().Set("Content-Security-Policy", listPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = comparePage.Execute(w, view) // who asked may have left
}

// moved adds to records where they are shown: the list of the run's page, with this policy or model alone.
func moved(list []compare.Moved, run string) (out []movedRecord) {
	for _, m := range list {
		state, err := json.Marshal(map[string]string{"cascade": m.Cascade, "dataset": m.Dataset, "part": m.Part,
			"policy": m.Policy})
		if err != nil {
			panic(err) // texts
		}
		x := movedRecord{Moved: m, Whose: m.Policy, Link: "../run/" + url.PathEscape(run) + "/#records=" +
			url.PathEscape(string(state))}
		if m.Policy == "" {
			x.Whose = "answer of " + m.Model
		}
		out = append(out, x)
	}
	return out
}

// outcomes adds what came out in one of two runs to the rows.
func outcomes(rows []outcomeRow, list []reports.Headline, at int) []outcomeRow {
	for _, h := range list {
		models := strings.Join(h.Models, " → ")
		if h.Pool {
			models = "pool " + h.Cascade
		}
		k := slices.IndexFunc(rows, func(x outcomeRow) bool { return x.Dataset == h.Dataset && x.Models == models })
		if k < 0 {
			k, rows = len(rows), append(rows, outcomeRow{Dataset: h.Dataset, Models: models})
		}
		x := side{Verdict: h.Verdict.Word()}
		if h.Ours != nil {
			x.Saved = fmt.Sprintf("%.1f [%.1f, %.1f]", h.Ours.Saved.Value, h.Ours.Saved.Low, h.Ours.Saved.High)
			e := h.Ours.Error
			x.Error = fmt.Sprintf("%.1f [%.1f, %.1f]", 100*e.Value, 100*e.Low, 100*e.High)
		}
		if at == 0 {
			rows[k].Old = x
		} else {
			rows[k].New = x
		}
	}
	return rows
}
