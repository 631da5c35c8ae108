// Package task turns examples into prompts and answers into grades. It owns
// the kinds of task, the prompt template, the labels, the extraction of an answer
// from a model's text, and the correctness rules with their defaults. It calls no
// model: vectors that a rule needs are passed in.
//
// Its opinion: a prompt is a text with named placeholders and no logic, and an
// answer is graded by one rule that the study names, never by several.
package task
