// Package task turns examples into prompts and answers into grades. It owns
// the kinds of task, the prompt template and the correctness rules; it makes
// no model call: vectors that a rule needs are passed in.
package task
