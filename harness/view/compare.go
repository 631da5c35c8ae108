package view

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/compare"
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

// compare shows what infnet compare says of two runs, the records that moved between them first.
func (s *Site) compare(w http.ResponseWriter, r *http.Request) error {
	names := [2]string{r.URL.Query().Get("old"), r.URL.Query().Get("new")}
	have, err := s.Names()
	var runs [2]*accept.Run
	for i, name := range names {
		if err == nil && !slices.Contains(have, name) {
			err = errNoRun
		}
		if err == nil {
			_, err = s.stamp(name)
		}
		if err != nil {
			return err
		}
		if runs[i], err = accept.Open(filepath.Join(s.dir, s.path(name, ""))); err != nil {
			return err
		}
	}
	view := map[string]any{"Old": names[0], "New": names[1]}
	c, err := compare.Runs(runs[0], runs[1], compare.Options{Alpha: 0.05})
	if err != nil {
		view["Summary"] = "The records of the two cannot be compared: " + err.Error()
	} else {
		list := moved(c, names[1])
		view["Summary"], view["Moved"], view["More"] = c.Summary, list, len(c.Moved)-len(list)
		view["Parts"] = slices.DeleteFunc(c.Parts(false), func(p compare.Part) bool {
			return strings.HasPrefix(p.Title, compare.MovedTitle) // they are the table
		})
	}
	sendPage(w, comparePage, view)
	return nil
}

// moved are the first records that moved, with where they are shown: the list of the run's page, with this policy or
// model alone.
func moved(c *compare.Comparison, run string) (out []movedRecord) {
	for _, m := range c.Moved[:min(len(c.Moved), mostMoved)] {
		state, err := json.Marshal(map[string]string{"cascade": m.Cascade, "dataset": m.Dataset, "part": m.Part,
			"policy": m.Policy})
		if err != nil {
			panic(err) // texts
		}
		out = append(out, movedRecord{Moved: m, Whose: c.Who(&m), Link: "../run/" + url.PathEscape(run) + "/#records=" +
			url.PathEscape(string(state))})
	}
	return out
}
