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
	SamplingPart Part = "a temperature"
	QuestionPart Part = "a question for decision models"
)

// Carries returns a failure if a request sets a field that the backend does not pass on to its
// model, or turns in mode raw, else nil. parts are the fields that it supports. Every backend calls this first.
func Carries(r Request, parts ...Part) *Failure {
	var lost []string
	for _, p := range []struct {
		part Part
		set  bool
	}{
		{ServedPart, r.Served != ""}, {SystemPart, r.System != ""}, {ExamplesPart, len(r.Examples) > 0},
		{TemplatePart, r.Template != ""}, {SettingsPart, len(r.Settings) > 0},
		{SamplingPart, !r.Sampling.Greedy()}, {QuestionPart, r.Question != "" || len(r.Criteria) > 0},
	} {
		if p.set && !slices.Contains(parts, p.part) {
			lost = append(lost, string(p.part))
		}
	}
	if len(lost) == 0 && (r.Mode != Raw || r.System == "" && len(r.Examples) == 0) {
		return nil
	}
	if len(lost) == 0 {
		return &Failure{Cause: BadRequest, Message: "the request has turns before the prompt, and mode raw has none: " +
			"ask in mode chat, or write them into the prompt"}
	}
	return &Failure{Cause: BadRequest,
		Message: fmt.Sprintf("the request sets %s, which a model of kind %q does not take: leave it out, or ask a model "+
			"that does", strings.Join(lost, " and "), r.Model.Kind)}
}
