package reports

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// cascadesOf are the cascades of some places.
func cascadesOf(list []place) []*result.Cascade {
	return distinct(list, func(p place) *result.Cascade { return p.c })
}

// datasetsOf are the names of the datasets of some places.
func datasetsOf(list []place) []string {
	return distinct(list, func(p place) string { return p.d.Name })
}

// metricsOf are the metrics of some places, and whether all have the same.
func metricsOf(list []place) (names []string, same bool) {
	same = true
	for _, p := range list {
		same = same && slices.Equal(p.d.Metrics, list[0].d.Metrics)
		for _, m := range p.d.Metrics {
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	return names, same
}

// cascadesCaption begins a caption: INCOMPLETE where they are, what, of which models.
func cascadesCaption(what string, list []place) table.Text {
	cascades := cascadesOf(list)
	models := table.Words(what + Plural(len(cascades), "cascade") + ".")
	if len(cascades) == 1 {
		models = textOf(what, modelList(cascades[0]), ".")
	}
	return append(incomplete(anyIncomplete(list)), models...)
}

func anyIncomplete(list []place) bool {
	return slices.ContainsFunc(list, func(p place) bool { return p.c.Incomplete })
}

// incomplete begins the caption of a table that is.
func incomplete(is bool) table.Text {
	if !is {
		return nil
	}
	return table.Text{table.Plain("INCOMPLETE: more answers are missing than the study allows.").Bold(), table.Plain(" ")}
}

// modelList names a cascade's models: "a (student) and b (master)".
func modelList(c *result.Cascade) (t table.Text) {
	last := len(c.Models) - 1
	for i, m := range c.Models {
		switch {
		case i > 0 && i == last:
			t = append(t, table.Plain(" and "))
		case i > 0:
			t = append(t, table.Plain(", "))
		}
		t = append(t, table.Name(m))
		switch {
		case last == 0:
		case i == 0:
			t = append(t, table.Plain(" (student)"))
		case i == last:
			t = append(t, table.Plain(" (master)"))
		}
	}
	return t
}

// captioned is how many names of a kind a caption lists: of more it says how many, for the table has their names.
const captioned = 8

// filled is the caption that the study asks for, of a table of the policies at some places.
func filled(s *result.Results, list []place) table.Text {
	cascades := cascadesOf(list)
	out := incomplete(anyIncomplete(list))
	plain := func(text string) { out = append(out, table.Plain(text)) }
	each := func(of func(*result.Cascade) string) []string {
		return distinct(list, func(p place) string { return of(p.c) })
	}
	named := func(names []string, thing string) {
		if len(names) > captioned {
			plain(Plural(len(names), thing))
			return
		}
		out = append(out, namesWith(", ", names)...)
	}
	// The spec refuses what is no placeholder; results that another program wrote are printed as they are.
	err := style.Fill(s.Style.Caption, func(text string) {
		if text != "" {
			plain(text)
		}
	}, func(name string) error {
		switch name {
		case "student":
			named(each(func(c *result.Cascade) string { return c.Models[0] }), "model")
		case "master":
			named(each(func(c *result.Cascade) string { return c.Models[len(c.Models)-1] }), "model")
		case "models":
			if len(cascades) > captioned {
				plain("the models of " + Plural(len(cascades), "cascade"))
				break
			}
			for i, c := range cascades {
				if i > 0 {
					plain("; ")
				}
				out = append(out, modelList(c)...)
			}
		case "cascade":
			if names := each(func(c *result.Cascade) string { return c.Name }); len(names) > captioned {
				plain(Plural(len(names), "cascade"))
			} else {
				plain(strings.Join(names, ", "))
			}
		case "dataset", "datasets":
			named(datasetsOf(list), "dataset")
		case "metrics":
			names, _ := metricsOf(list)
			plain(strings.Join(names, " / "))
		case "task":
			plain(strings.Join(distinct(list, func(p place) string {
				if p.d.Task == "classification" {
					return p.d.Task
				}
				return "generation"
			}), ", "))
		case "study":
			plain(s.Name)
		case "setting":
			plain(strings.Join(each(func(c *result.Cascade) string { return c.Setting }), ", "))
		case "target":
			plain(strings.Join(each(func(c *result.Cascade) string { return c.Target }), ", "))
		case "level":
			plain(percent(s.Level))
		default:
			plain("{" + name + "}")
		}
		return nil
	})
	if err != nil {
		return table.Words(s.Style.Caption)
	}
	return out
}

// costWords names what a query's cost is.
func costWords(c *result.Cascade) string {
	switch {
	case c.Unit == "":
		return c.CostModel
	case strings.EqualFold(c.Unit, c.CostModel):
		return c.Unit
	}
	return fmt.Sprintf("%s (%s)", c.CostModel, c.Unit)
}
