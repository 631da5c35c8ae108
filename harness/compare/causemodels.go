package compare

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
)

// models says which models and servers are others.
func (c *comparing) models() {
	for i := range c.now.Models {
		now := &c.now.Models[i]
		at := slices.IndexFunc(c.old.Models, func(m result.Model) bool { return m.Name == now.Name })
		if at < 0 {
			c.cause(Cause{Kind: OfModel, Model: now.Name, Text: now.Name + ": a model that the other run has not"})
			continue
		}
		old := &c.old.Models[at]
		c.field(OfModel, now.Name, "id", old.ID, now.ID)
		c.field(OfModel, now.Name, "revision", short(old.Revision), short(now.Revision))
		c.field(OfServer, now.Name, "backend", old.Backend, now.Backend)
		c.field(OfServer, now.Name, "the name it is asked for by", old.Served, now.Served)
		c.field(OfServer, now.Name, "how labels are asked", old.LabelMode, now.LabelMode)
		c.field(OfServer, now.Name, "server", servers(old), servers(now))
		c.field(OfServer, now.Name, "the name it answers under", responders(old), responders(now))
	}
}

// field says that something about a model differs.
func (c *comparing) field(kind Kind, model, what, old, now string) {
	if old != now {
		c.cause(Cause{Kind: kind, Model: model, Key: what, Old: old, New: now,
			Text: fmt.Sprintf("%s, %s: %s → %s", model, what, orNone(old), orNone(now))})
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// short is the beginning of a hash, which is longer than what a reader compares.
func short(hash string) string {
	if len(hash) > 16 {
		return hash[:16]
	}
	return hash
}

// servers describes what answered for a model: name, version and fingerprint.
func servers(m *result.Model) string {
	var out []string
	for _, s := range m.Servers {
		out = append(out, strings.TrimSpace(s.Name+" "+s.Version)+" ("+short(s.Fingerprint)+")")
	}
	return strings.Join(out, ", ")
}

func responders(m *result.Model) string {
	var out []string
	for _, r := range m.AnsweredBy {
		out = append(out, r.Name)
	}
	return strings.Join(out, ", ")
}
