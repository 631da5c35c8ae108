package question

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/seed"
)

// Show takes the examples that every prompt shows: those that the dataset lists, or draws. Records that are shown, and
// all of their groups or with their texts, leave the records, so that none is asked about or scored. In mode raw they
// stand before a prompt as text: answers follow their prompts as a model would continue them, and a blank line parts
// an example from what follows, as in Brown et al., Language models are few-shot learners (2020), appendix G.
func (s *Sheet) Show(study uint64) error {
	d := s.Dataset
	for _, e := range d.Examples.Listed {
		prompt, err := s.prompt.Render(e.Fields)
		if err != nil {
			return fmt.Errorf("dataset %s: examples: %w", d.Name, err)
		}
		s.shown = append(s.shown, backends.Example{Prompt: prompt, Answer: e.Answer})
	}
	if d.Examples.N > 0 {
		if err := s.draw(study); err != nil {
			return err
		}
	}
	if s.shown == nil {
		return nil
	}
	for _, e := range s.shown {
		if _, ok := s.Said(backends.Answer{Text: e.Answer, Finish: backends.FinishEnd}); !ok {
			return fmt.Errorf("dataset %s: examples: they show the answer %.60q, in which answer = %q finds none: models "+
				"that answer alike would be wrong; list examples that answer as the prompt wants it, or find the answer "+
				"otherwise", d.Name, e.Answer, d.Answer)
		}
	}
	s.leave()
	for _, e := range s.shown {
		if s.labels != nil || strings.TrimRight(e.Prompt, " \t\n") == e.Prompt {
			e.Answer = " " + e.Answer
		}
		s.before += e.Prompt + e.Answer + "\n\n"
	}
	return nil
}

// draw takes examples out of the fit part: in the order of a random stream of their own, no two of one text or group.
// More of them begin with the same ones.
func (s *Sheet) draw(study uint64) error {
	d := s.Dataset
	parts, err := s.Split(study, 0)
	if err != nil {
		return err
	}
	turn := seed.Hasher(study, "examples", d.Name)
	slices.SortFunc(parts.Fit, func(a, b int) int {
		x, y := s.Set.Examples[a].ID, s.Set.Examples[b].ID
		return cmp.Or(cmp.Compare(turn(x), turn(y)), cmp.Compare(x, y))
	})
	texts, groups := map[string]bool{}, map[string]bool{}
	for _, i := range parts.Fit {
		prompt, answer, e := s.rendered(i), "", s.Set.Examples[i]
		switch {
		case s.labels != nil && e.Class >= 0:
			answer = s.Dataset.Labels[e.Class].Word
		case s.labels == nil && len(e.References) > 0:
			answer = e.References[0]
		}
		if len(s.shown) == d.Examples.N || answer == "" || texts[prompt] ||
			e.Group != "" && groups[e.Group] {
			continue
		}
		texts[prompt], groups[e.Group] = true, true
		s.shown = append(s.shown, backends.Example{Prompt: prompt, Answer: answer})
	}
	if n := len(s.shown); n < d.Examples.N {
		return fmt.Errorf("dataset %s: examples: the fit part has %d records to show, of different texts and groups and "+
			"with an answer, and n = %d", d.Name, n, d.Examples.N)
	}
	return nil
}

// leave takes the records out that are shown, be it that examples which somebody listed are among them.
func (s *Sheet) leave() {
	texts, groups, leave := map[string]bool{}, map[string]bool{}, map[int]bool{}
	for _, e := range s.shown {
		texts[e.Prompt] = true
	}
	for i, e := range s.Set.Examples {
		if leave[i] = texts[s.rendered(i)]; leave[i] && e.Group != "" {
			groups[e.Group] = true
		}
	}
	some := false
	for i, e := range s.Set.Examples {
		leave[i] = leave[i] || groups[e.Group]
		some = some || leave[i]
	}
	if some { // else the set is what it was, and so is its hash
		s.Set.Without(leave)
	}
}

// rendered is the prompt of example i.
func (s *Sheet) rendered(i int) string {
	prompt, err := s.prompt.Prompt(s.Set, i)
	if err != nil {
		panic("question: a prompt that New rendered no longer renders: " + err.Error())
	}
	return prompt
}
