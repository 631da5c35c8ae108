package backends

import (
	"fmt"
	"slices"
	"strings"
)

// Part names a field of version 2 of a Request.
type Part string

// The parts.
const (
	ServedPart   Part = "served"
	SystemPart   Part = "system prompt"
	ExamplesPart Part = "examples"
	TemplatePart Part = "chat template"
	SettingsPart Part = "engine settings"
)

// Carries returns the failure of a request that says what a backend does not
// hand on to its model, nil where it hands on everything: the parts are those
// it carries. Every backend asks this before anything else.
func Carries(r Request, parts ...Part) *Failure {
	var lost []string
	for _, p := range []struct {
		part Part
		set  bool
	}{
		{ServedPart, r.Served != ""}, {SystemPart, r.System != ""}, {ExamplesPart, len(r.Examples) > 0},
		{TemplatePart, r.Template != ""}, {SettingsPart, len(r.Settings) > 0},
	} {
		if p.set && !slices.Contains(parts, p.part) {
			lost = append(lost, string(p.part))
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return &Failure{Cause: BadRequest,
		Message: fmt.Sprintf("the request sets %s, which a model of kind %q does not take: leave it out, or ask a model "+
			"that does", strings.Join(lost, " and "), r.Model.Kind)}
}
