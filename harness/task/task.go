// Package task turns examples into prompts and answers into grades. It owns
// the kinds of task, the prompt template, the labels, what of a model's text
// is the answer, and the correctness rules with their defaults; it makes no
// model call: vectors that a rule needs are passed in.
//
// Its opinion: a prompt is a text with named holes and no logic, and an
// answer is graded by one rule that the study names, never by several.
package task
