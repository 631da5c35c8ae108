package reports

import (
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// filled is the caption that the study asks for, of a table of the policies at some places.
func filled(s *result.Results, list []place) table.Text {
	var out table.Text
	cascades := cascadesOf(list)
	if slices.ContainsFunc(cascades, func(c *result.Cascade) bool { return c.Incomplete }) {
		out = incomplete()
	}
	each := func(of func(*result.Cascade) string) (names []string) {
		for _, c := range cascades {
			if n := of(c); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		return names
	}
	plain := func(names []string) { out = append(out, table.Plain(strings.Join(names, ", "))) }
	named := func(names []string, thing string) {
		if len(names) > captioned {
			plain([]string{plural(len(names), thing)})
			return
		}
		out = append(out, nameList(names)...)
	}
	// The spec refuses what is no placeholder; results that another program wrote are printed as they are.
	err := style.Fill(s.Style.Caption, func(text string) {
		if text != "" {
			out = append(out, table.Plain(text))
		}
	}, func(name string) error {
		switch name {
		case "student":
			named(each(func(c *result.Cascade) string { return c.Models[0] }), "model")
		case "master":
			named(each(func(c *result.Cascade) string { return c.Models[len(c.Models)-1] }), "model")
		case "models":
			if len(cascades) > captioned {
				plain([]string{"the models of " + plural(len(cascades), "cascade")})
				break
			}
			for i, c := range cascades {
				if i > 0 {
					out = append(out, table.Plain("; "))
				}
				out = append(out, modelList(c)...)
			}
		case "cascade":
			if names := each(func(c *result.Cascade) string { return c.Name }); len(names) > captioned {
				plain([]string{plural(len(names), "cascade")})
			} else {
				plain(names)
			}
		case "dataset", "datasets":
			named(datasetsOf(list), "dataset")
		case "metrics":
			names, _ := metricsOf(list)
			out = append(out, table.Plain(strings.Join(names, " / ")))
		case "task":
			plain(tasksOf(list))
		case "study":
			out = append(out, table.Plain(s.Name))
		case "setting":
			plain(each(func(c *result.Cascade) string { return c.Setting }))
		case "target":
			plain(each(func(c *result.Cascade) string { return c.Target }))
		case "level":
			out = append(out, table.Plain(percent(s.Level)))
		default:
			out = append(out, table.Plain("{"+name+"}"))
		}
		return nil
	})
	if err != nil {
		return table.Words(s.Style.Caption)
	}
	return out
}

// captioned is how many names of a kind a caption lists: of more it says how many, for the table has their names.
const captioned = 8

// nameList is names with commas between them.
func nameList(names []string) (t table.Text) {
	for i, n := range names {
		if i > 0 {
			t = append(t, table.Plain(", "))
		}
		t = append(t, table.Name(n))
	}
	return t
}

// datasetsOf are the names of the datasets of some places.
func datasetsOf(list []place) (names []string) {
	for _, p := range list {
		if !slices.Contains(names, p.d.Name) {
			names = append(names, p.d.Name)
		}
	}
	return names
}

// tasksOf are the kinds of tasks of some places: classification, generation.
func tasksOf(list []place) (names []string) {
	for _, p := range list {
		task := "generation"
		if p.d.Task == "classification" {
			task = p.d.Task
		}
		if !slices.Contains(names, task) {
			names = append(names, task)
		}
	}
	return names
}
