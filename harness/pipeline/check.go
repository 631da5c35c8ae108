package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/wording"
	"infnet/harness/cost"
	"infnet/harness/fault"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// Check finds mistakes in a spec that only its models' folders reveal.
func (st *Study) Check() error {
	var problems []error
	for _, m := range st.Models {
		problems = append(problems, checkFolder(m), checkNested(m))
	}
	for _, m := range st.Models {
		problems = append(problems, checkCost(m))
	}
	if st.judge != nil {
		problems = append(problems, st.judge.check())
	}
	if err := errors.Join(problems...); err != nil {
		return fault.Spec.Wrap(err)
	}
	return checkGraders(st)
}

// checkCost checks that the cost of a model whose folder says its shape can be computed as the spec asks; for
// other models the spec alone is enough.
func checkCost(m *Model) error {
	c, shape := m.study.Spec.Cost, m.known.Shape
	signed := c.Summary == cost.Signature && m.Params == 0
	if m.shapeless != nil && (signed || c.Model == cost.TFLOPs) {
		return m.study.Spec.At(spec.OfModels, m.Name, fmt.Errorf("model %s: its cost is that of its shape, which "+
			"cannot be read from %s: %w", m.Name, cmp.Or(m.ShapeIn, m.Path), m.shapeless),
			"name a known shape, or choose another cost.model", "path")
	}
	if !signed || m.Shape != nil || shape == nil {
		return nil
	}
	if p := shape.Params; p < 1 {
		return fmt.Errorf("%s: cost.summary = \"signature\": model %s has %.3g billion parameters, and the signature is "+
			"undefined below one billion, where its factor turns negative: use summary = \"mean\" or \"median\"",
			m.study.Spec.File, m.Name, p)
	}
	return nil
}

// checkFolder refuses answers as long as a local model's whole context, and classifications whose labels it cannot
// distinguish by their first token.
func checkFolder(m *Model) error {
	if m.facts == nil {
		return nil
	}
	var problems []error
	bad := func(d *Dataset, err error, fix, key string) {
		problems = append(problems, m.study.Spec.At(spec.OfDatasets, d.Name, fmt.Errorf("dataset %s, model %s: %w", d.Name,
			m.Name, err), fix, key))
	}
	for _, d := range m.study.Datasets {
		n := m.facts.Shape().Context
		switch {
		case !m.canAnswer(d):
		case d.Task != task.Classification && n > 0 && d.MaxTokens >= n:
			bad(d, fmt.Errorf("answers of max_tokens = %d leave no room for a prompt in its context of %d tokens", d.MaxTokens,
				n), "lower max_tokens", "max_tokens")
		case d.Task == task.Classification && m.Mode == backends.Raw:
			if err := m.facts.CheckLabels(m.request(d, 0).Prompt, d.Continuations()); err != nil {
				bad(d, err, "", "labels")
			}
		}
	}
	return errors.Join(problems...)
}

// checkNested refuses labels of which one begins another where the model's server is known to tell no tokens and is
// asked for first tokens: A would be scored for AB. It warns where only the server knows, or how it is asked is open.
func checkNested(m *Model) error {
	c, ok := m.Config.Settings.(*backends.OpenAIConfig)
	if !ok || c.NoLogprobs || c.Labels == backends.LabelsText {
		return nil
	}
	if c.Launch != nil && c.Launch.Engine != "" {
		return nil // it has a /tokenize route
	}
	silent := c.Labels != backends.LabelsAuto &&
		slices.ContainsFunc(c.URLs, func(u string) bool { return strings.Contains(u, "://api.openai.com/") })
	var problems []error
	for _, d := range m.study.Datasets {
		if d.Task != task.Classification || !m.answersFor(d) {
			continue
		}
		short, long, nested := wording.NewLabels(d.Continuations()).Nested()
		if !nested {
			continue
		}
		what := fmt.Sprintf("label %q begins label %q, and their first tokens may be one", d.Labels[short].Word,
			d.Labels[long].Word)
		const fix = "choose words that begin differently, serve the model where there is a /tokenize route (vLLM, SGLang, " +
			"llama.cpp), or set labels = \"text\" for the last model of a cascade"
		if silent {
			problems = append(problems, m.study.Spec.At(spec.OfDatasets, d.Name, fmt.Errorf("dataset %s, model %s: %s: its "+
				"server does not tell how it splits words", d.Name, m.Name, what), fix, "labels"))
		} else {
			m.study.events.Warn(what+": refused when it is asked, unless the server tells how it splits words: "+fix,
				"dataset", d.Name, "model", m.Name)
		}
	}
	return errors.Join(problems...)
}
