package published

import (
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
		a.differ(note.OtherModels(ours, theirs))
	}
}

// compareRows looks at which records they are.
func (a *comparison) compareRows(d *Dataset) {
	source, _, _ := strings.Cut(a.set.Source.Text, "@")
	if source != d.Source {
		a.differ(note.OtherRows(a.set.Source.Text, d.Source))
	}
	if a.set.Split.Limit != d.Limit {
		a.differ(note.OtherLimit(a.set.Split.Limit, d.Limit))
	}
	if a.set.Split.Fit != d.Fit || string(a.set.Split.Order) != d.Order || a.set.Split.Stratify {
		a.differ(note.OtherSplit(a.set.Split.Fit, string(a.set.Split.Order), d.Fit, d.Order))
	} else if a.set.GroupColumn != "" {
		a.note(note.GroupedSplit(a.set.GroupColumn))
	}
}

// compareTask looks at what was asked, and when an answer is right.
func (a *comparison) compareTask(d *Dataset) {
	if string(a.set.Task) != d.Task {
		a.differ(note.OtherTask(string(a.set.Task), d.Task))
		return
	}
	if a.set.Direction != d.Direction {
		a.differ(note.OtherDirection(a.set.Direction, d.Direction))
	}
	if d.Task == "classification" {
		return
	}
	if a.set.MaxTokens != d.MaxTokens {
		a.differ(note.OtherTokens(a.set.MaxTokens, d.MaxTokens))
	}
	rule, tau := a.book.Protocol["rule"], a.book.Protocol["tau"]
	if a.ours.Rule != rule || fmt.Sprint(a.ours.Tau) != tau {
		a.differ(note.OtherRule(a.ours.Rule, a.ours.Tau, rule, tau, a.book.Protocol["embedder"]))
	}
	if e := a.embedder(); !sameEmbedder(e, a.book.Protocol["embedder"]) {
		a.differ(note.OtherCosine(e, a.book.Protocol["embedder"]))
	}
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
