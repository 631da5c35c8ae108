package published

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
)

// compareModels looks at whose answers they are.
func (a *comparison) compareModels() {
	var theirs, ours []string
	for i, name := range []string{a.group.Student, a.group.Master} {
		at := slices.IndexFunc(a.book.Models, func(m Model) bool { return m.Name == name })
		want := a.book.Models[at].ID
		got := slices.IndexFunc(a.all.Models, func(m result.Model) bool { return m.Name == a.cascade.Models[i] })
		if got < 0 || a.all.Models[got].ID != want {
			theirs, ours = append(theirs, name), append(ours, a.cascade.Models[i])
		}
	}
	if len(ours) > 0 {
		a.differ("models", "Other models: %s, published %s.", strings.Join(ours, " and "), strings.Join(theirs, " and "))
	}
}

// compareRows looks at which records they are.
func (a *comparison) compareRows(d *Dataset) {
	source, _, _ := strings.Cut(a.set.Source.Text, "@")
	if source != d.Source {
		a.differ("rows", "Other rows, or the same from elsewhere: %s, published %s.", a.set.Source.Text, d.Source)
	}
	if a.set.Split.Limit != d.Limit {
		limit := fmt.Sprint(a.set.Split.Limit)
		if limit == "0" {
			limit = "all"
		}
		a.differ("limit", "Number of records: %s, published %d.", limit, d.Limit)
	}
	if a.set.Split.Fit != d.Fit || string(a.set.Split.Order) != d.Order || a.set.Split.Stratify {
		a.differ("split", "Split: %g to fit, order %s; published %g, order %s.", a.set.Split.Fit, a.set.Split.Order, d.Fit,
			d.Order)
	} else if a.set.GroupColumn != "" {
		a.note(note.Say("groups", "Here records of one %s stay on one side of the split, which moves a few of them.",
			a.set.GroupColumn))
	}
}

// compareTask looks at what was asked, and when an answer is right.
func (a *comparison) compareTask(d *Dataset) {
	if string(a.set.Task) != d.Task {
		a.differ("task", "Task: %s, published %s.", a.set.Task, d.Task)
		return
	}
	if a.set.Direction != d.Direction {
		a.differ("direction", "Direction: %s, published %s.", way(a.set.Direction), way(d.Direction))
	}
	if d.Task == "classification" {
		return
	}
	if a.set.MaxTokens != d.MaxTokens {
		a.differ("tokens", "New tokens: at most %d, published %d.", a.set.MaxTokens, d.MaxTokens)
	}
	rule, tau := a.book.Protocol["rule"], a.book.Protocol["tau"]
	if a.ours.Rule != rule || fmt.Sprint(a.ours.Tau) != tau {
		ours := a.ours.Rule
		if a.ours.Tau > 0 {
			ours += fmt.Sprintf(" ≥ %v", a.ours.Tau)
		}
		a.differ("rule", "An answer is right by %s, published %s ≥ %s of %s.", ours, rule, tau, a.book.Protocol["embedder"])
	}
	if e := a.embedder(); !sameEmbedder(e, a.book.Protocol["embedder"]) {
		a.differ("embedder", "The cosine is of %s, published of %s.", e, a.book.Protocol["embedder"])
	}
}

// way names the direction of a translation, such as "de-en".
func way(direction string) string {
	from, to, ok := strings.Cut(direction, "-")
	if !ok {
		return "not said"
	}
	named := func(code string) string {
		return cmp.Or(map[string]string{"de": "German", "en": "English", "fr": "French"}[code], code)
	}
	return named(from) + " into " + named(to)
}

// embedder is the hub's name of what embeds texts, or that of its folder.
func (a *comparison) embedder() string {
	if m := a.study.Embedder.Model; m != nil {
		return m.Config.Model.ID
	}
	return a.study.Embedder.Name()
}

// sameEmbedder reports whether two names are of one embedder: with or without
// its owner.
func sameEmbedder(ours, theirs string) bool {
	base := func(s string) string { return strings.ToLower(s[strings.LastIndexByte(s, '/')+1:]) }
	return base(ours) == base(theirs)
}
