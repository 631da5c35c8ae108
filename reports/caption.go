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
	named := func(thing string, of func(p place) string) table.Text {
		names := distinct(list, of)
		if len(names) > captioned {
			return table.Words(Plural(len(names), thing))
		}
		return namesWith(", ", names)
	}
	words := func(of func(p place) string) table.Text { return table.Words(strings.Join(distinct(list, of), ", ")) }
	dataset := func() table.Text { return named("dataset", func(p place) string { return p.d.Name }) }
	parts := map[string]func() table.Text{
		"student": func() table.Text { return named("model", func(p place) string { return p.c.Models[0] }) },
		"master": func() table.Text {
			return named("model", func(p place) string { return p.c.Models[len(p.c.Models)-1] })
		},
		"models":   func() table.Text { return modelLists(cascadesOf(list)) },
		"dataset":  dataset,
		"datasets": dataset,
		"cascade": func() table.Text {
			if n := len(cascadesOf(list)); n > captioned {
				return table.Words(Plural(n, "cascade"))
			}
			return words(func(p place) string { return p.c.Name })
		},
		"metrics": func() table.Text {
			names, _ := metricsOf(list)
			return table.Words(strings.Join(names, " / "))
		},
		"task": func() table.Text {
			return words(func(p place) string {
				if p.d.Task == "classification" {
					return p.d.Task
				}
				return "generation"
			})
		},
		"study":   func() table.Text { return table.Words(s.Name) },
		"setting": func() table.Text { return words(func(p place) string { return p.c.Setting }) },
		"target":  func() table.Text { return words(func(p place) string { return p.c.Target }) },
		"level":   func() table.Text { return table.Words(percent(s.Level)) },
	}
	out := incomplete(anyIncomplete(list))
	// The spec refuses what is no placeholder; results that another program wrote are printed as they are.
	if err := style.Fill(s.Style.Caption, func(text string) {
		if text != "" {
			out = append(out, table.Plain(text))
		}
	}, func(name string) error {
		if part := parts[name]; part != nil {
			out = append(out, part()...)
		} else {
			out = append(out, table.Plain("{"+name+"}"))
		}
		return nil
	}); err != nil {
		return table.Words(s.Style.Caption)
	}
	return out
}

// modelLists names the models of cascades.
func modelLists(cascades []*result.Cascade) (t table.Text) {
	if len(cascades) > captioned {
		return table.Words("the models of " + Plural(len(cascades), "cascade"))
	}
	for i, c := range cascades {
		if i > 0 {
			t = append(t, table.Plain("; "))
		}
		t = append(t, modelList(c)...)
	}
	return t
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
