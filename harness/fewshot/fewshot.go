// Package fewshot writes examples as text before a prompt, for models that are asked without turns. langchaingo's
// FewShotPrompt puts it together. It refuses to choose examples, and to read what they say: a brace in one is a brace.
//
// Its opinion: a blank line parts an example from the next, and the last from the prompt, as in the few-shot prompts of
// Brown et al., Language Models are Few-Shot Learners (2020), appendix G.
package fewshot

import (
	"fmt"

	"github.com/tmc/langchaingo/prompts"

	"infnet/backends"
)

// Separator is between an example and what follows.
const Separator = "\n\n"

// Text is the examples, each its prompt and its answer, and what separates the last of them from a prompt.
func Text(examples []backends.Example) (string, error) {
	// FewShotPrompt reads what its examples were rendered to as a template once more. So they are rendered to the names
	// of values, which are filled in last.
	named, values := make([]map[string]string, len(examples)), map[string]any{}
	for i, e := range examples {
		q, a := fmt.Sprintf("q%d", i), fmt.Sprintf("a%d", i)
		values[q], values[a] = e.Prompt, e.Answer
		named[i] = map[string]string{"question": "{" + q + "}", "answer": "{" + a + "}"}
	}
	values["end"] = ""
	const format = prompts.TemplateFormatFString
	one := prompts.PromptTemplate{Template: "{question}{answer}", InputVariables: []string{"question", "answer"},
		TemplateFormat: format}
	all, err := prompts.NewFewShotPrompt(one, named, nil, "", "{end}", []string{"end"}, nil, Separator, format, false)
	if err != nil {
		return "", fmt.Errorf("examples: langchaingo: %w", err)
	}
	text, err := all.Format(values)
	if err != nil {
		return "", fmt.Errorf("examples: langchaingo: %w", err)
	}
	return text, nil
}
