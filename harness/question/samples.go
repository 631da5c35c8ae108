package question

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"infnet/backends"
	"infnet/harness/spec"
	"infnet/harness/task"
)

// Requests are a model's requests for example i: one, or those of its samples, with the seeds 1, 2, ….
func (s *Sheet) Requests(i int, id backends.ModelID, m *spec.Model) []backends.Request {
	list := []backends.Request{s.Request(i, id, m)}
	for m.Samples != nil && len(list) < m.Samples.N {
		r := list[0]
		r.Seed = uint64(len(list) + 1)
		list = append(list, r)
	}
	return list
}

// Given is what a model answered to an example.
type Given struct {
	backends.Answer                   // of samples: the majority's, under the hash of their keys
	Samples         []backends.Answer // in the order of their seeds; nil = the model is asked once
	Lacks           *backends.Key     // a request without an answer, the first; nil = all have one, else there is none
}

// Given looks up what a model answered to example i.
func (s *Sheet) Given(i int, id backends.ModelID, m *spec.Model,
	get func(backends.Key) (backends.Answer, bool, error)) (Given, error) {
	var list []backends.Answer
	var lacks *backends.Key
	var keys []byte
	for _, r := range s.Requests(i, id, m) {
		key := r.Key()
		a, ok, err := get(key)
		if err != nil {
			return Given{}, err
		}
		if a.Key = key; !ok && lacks == nil {
			lacks = &key
		}
		list, keys = append(list, a), append(keys, key[:]...)
	}
	if m.Samples == nil {
		return Given{Answer: list[0], Lacks: lacks}, nil
	}
	out := Given{Lacks: lacks}
	if lacks == nil {
		out.Answer, out.Samples = s.merge(list), list
	}
	out.Key = sha256.Sum256(append([]byte("infnet samples 1"), keys...))
	return out, nil
}

// merge makes one answer of samples: the first of the largest group's, with its share of all samples as the confidence.
// It took as many tokens and as long as all samples together. Where no sample states an answer it is the first, with
// the confidence 0; where none names a class it has none (Lacking).
func (s *Sheet) merge(samples []backends.Answer) backends.Answer {
	said, votes := 0, 0
	for _, group := range s.Votes(samples) {
		if len(group) > votes { // not of equals: the group with the earlier sample comes first
			said, votes = group[0], len(group)
		}
	}
	first := samples[said]
	out := backends.Answer{Text: first.Text, Thoughts: first.Thoughts, By: first.By, Finish: first.Finish,
		Model: first.Model, System: first.System, Confidence: new(float64(votes) / float64(len(samples))),
		Usage: backends.Usage{Prompt: backends.Counted(0), Completion: backends.Counted(0)}}
	if len(s.labels) > 0 && votes > 0 {
		out.Labels = backends.Named(s.labels, s.Named(first))
	}
	for _, a := range samples {
		out.Usage.Prompt = out.Usage.Prompt.Plus(a.Usage.Prompt)
		out.Usage.Completion = out.Usage.Completion.Plus(a.Usage.Completion)
		out.Usage.Cached += a.Usage.Cached
		out.Usage.Thoughts += a.Usage.Thoughts
		out.Thinks = out.Thinks || a.Thinks
		out.Latency += a.Latency
		out.Truncated = max(out.Truncated, a.Truncated)
		out.Batch = cmp.Or(out.Batch, a.Batch)
	}
	if out.Batch != "" {
		out.Latency = 0 // nobody measured that of all
	}
	return out
}

// Votes groups samples that give the same answer, by their places. Groups are in the order of their first samples,
// which the later ones are compared with. Classes are the same by name, texts by the first rule of the dataset that
// decides; a sample that states no answer is in no group.
func (s *Sheet) Votes(samples []backends.Answer) [][]int {
	return group(responses(s, samples), func(r, first task.Response) bool {
		if len(s.labels) > 0 {
			return r.Class == first.Class
		}
		same, err := s.same.Grade(r, task.MasterReference(first))
		return err == nil && same.Correct
	})
}

// Close groups samples like Votes, but texts are the same where they are equal or the cosine of their embeddings, which
// vector looks up, is at least the given one; 0 = Votes. Each joins the first such group.
func (s *Sheet) Close(samples []backends.Answer, least float64, vector func(string) ([]float32, error)) (
	groups [][]int, err error) {
	if len(s.labels) > 0 || least == 0 {
		return s.Votes(samples), nil
	}
	by, err := task.NewGrader(task.GraderOptions{Rule: task.Cosine, Tau: least})
	if err != nil {
		return nil, err
	}
	list := responses(s, samples)
	for k := range list {
		if !list[k].None && err == nil {
			list[k].Vector, err = vector(list[k].Text)
		}
	}
	if err != nil {
		return nil, err
	}
	groups = group(list, func(r, first task.Response) bool {
		same, e := by.Grade(r, task.MasterReference(first))
		if e != nil {
			err = e
		}
		return same.Correct
	})
	return groups, err
}

// group puts each response into the first group whose first one it is the same as; what states no answer into none.
func group(list []task.Response, same func(r, first task.Response) bool) (groups [][]int) {
	for k, r := range list {
		if r.None {
			continue
		}
		at := slices.IndexFunc(groups, func(g []int) bool { return same(r, list[g[0]]) })
		if at < 0 {
			groups = append(groups, []int{k})
		} else {
			groups[at] = append(groups[at], k)
		}
	}
	return groups
}

// responses are sampled answers as grading sees them.
func responses(s *Sheet, samples []backends.Answer) []task.Response {
	out := make([]task.Response, len(samples))
	for k, a := range samples {
		out[k] = s.Sample(a)
	}
	return out
}

// Sample is a sampled answer as grading sees it: the class it names, or what it says; one that failed states none.
func (s *Sheet) Sample(a backends.Answer) task.Response {
	if a.Failure != nil {
		return task.Response{Class: -1, None: true}
	}
	if len(s.labels) > 0 {
		at := s.Named(a)
		return task.Response{Class: at, None: at < 0}
	}
	said, ok := s.Said(a)
	return task.Response{Class: -1, Text: said.Text, None: !ok}
}

// Named is the class that a sampled answer names; -1 where it names none, and for tasks without classes.
func (s *Sheet) Named(a backends.Answer) int { return slices.Index(s.labels, a.Text) }

// sameAnswer decides whether two answers are the same: by those rules of the dataset that treat both alike and need
// nothing else, in their order, and else by exact match.
func sameAnswer(d *spec.Dataset) (*task.Grader, error) {
	rules := slices.DeleteFunc(d.Correct.All(), func(r task.Rule) bool { return !r.Reads() && r != task.ExactMatch })
	if !slices.Contains(rules, task.ExactMatch) {
		rules = append(rules, task.ExactMatch)
	}
	return task.NewGrader(task.GraderOptions{Rule: rules[0], Then: rules[1:]})
}
