package huggingface

import (
	"fmt"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

func badPrompt(format string, args ...any) error {
	return &backends.Failure{Cause: backends.BadRequest, Message: fmt.Sprintf(format, args...)}
}

func cutEnd(prompt, end string) (string, error) {
	if end == "" {
		return prompt, nil
	}
	i := strings.LastIndex(prompt, end)
	if i < 0 || strings.TrimSpace(prompt[i+len(end):]) != "" {
		return "", badPrompt("the prompt does not end with %q: set the words that end its last field (end)", end)
	}
	return prompt[:i], nil
}

func cutText(prompt, before, end string) (string, error) {
	body, err := cutEnd(prompt, end)
	if err != nil {
		return "", err
	}
	if _, after, ok := strings.Cut(body, before); ok {
		body = after
	} else {
		return "", badPrompt("the prompt does not hold %q: set the words before its text (text)", before)
	}
	if body = strings.TrimSpace(body); body == "" {
		return "", badPrompt("the prompt holds no text to classify")
	}
	return body, nil
}

// cutQuestion finds the passage and the question in a prompt, in either order.
// A passage is long and anybody's, so of several ways to cut, the one with the
// shortest question is taken.
func cutQuestion(prompt, beforePassage, beforeQuestion, end string) (passage, question string, err error) {
	body, err := cutEnd(prompt, end)
	if err != nil {
		return "", "", err
	}
	p, q := strings.Index(body, beforePassage), strings.Index(body, beforeQuestion)
	switch {
	case p < 0:
		return "", "", badPrompt("the prompt does not hold %q: set the words before its passage (context)", beforePassage)
	case q < 0:
		return "", "", badPrompt("the prompt does not hold %q: set the words before its question (question)", beforeQuestion)
	case q < p:
		if q+len(beforeQuestion) > p {
			return "", "", badPrompt("the words before the passage, %q, and before the question, %q, overlap", beforePassage,
				beforeQuestion)
		}
		question, passage = body[q+len(beforeQuestion):p], body[p+len(beforePassage):]
	default:
		rest := body[p+len(beforePassage):]
		if q = strings.LastIndex(rest, beforeQuestion); q < 0 {
			return "", "", badPrompt("the words before the passage, %q, and before the question, %q, overlap", beforePassage,
				beforeQuestion)
		}
		passage, question = rest[:q], rest[q+len(beforeQuestion):]
	}
	passage, question = strings.TrimSpace(passage), strings.TrimSpace(question)
	if passage == "" || question == "" {
		return "", "", badPrompt("the prompt's passage has %d characters and its question %d: an extractive model needs both",
			len(passage), len(question))
	}
	return passage, question, nil
}

// candidates are the labels as a zero-shot model reads them: without the space that makes them continuations.
func candidates(labels []string) ([]string, error) {
	if f := httpfailure.Labels(labels, strings.TrimSpace); f != nil {
		return nil, f
	}
	out := make([]string, len(labels))
	for i, l := range labels {
		out[i] = strings.TrimSpace(l)
	}
	return out, nil
}
