package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"infnet/harness/policy"
)

// hashVersion changes when the meaning of a study changes, so that results of
// the old meaning are not taken for results of the new one.
const hashVersion = "infnet study 1"

// hash is the SHA-256 of the study's content. It does not depend on comments, spacing, the order of
// keys, the location of files or the servers. Paths count as they are written, so the same study
// has the same hash on every machine. Settings of a backend that change answers are in the
// revisions of its models. Two specs of which one writes out a default have the same hash.
func (s *Study) hash() string {
	sum := sha256.Sum256(s.canonical())
	return hex.EncodeToString(sum[:])
}

// canonical is the JSON of what counts of the study, the same for two specs that mean the same.
func (s *Study) canonical() []byte {
	c := *s
	c.File, c.Hash, c.FS, c.Warnings = hashVersion, "", nil, nil
	c.Models = slices.Clone(s.Models)
	for i := range c.Models {
		c.Models[i] = c.Models[i].plain()
	}
	if m := s.Embedder.Model; m != nil {
		plain := m.plain()
		c.Embedder.Model = &plain
	}
	if s.Scorer != nil {
		plain := s.Scorer.plain()
		c.Scorer = &plain
	}
	if s.Judge != nil {
		plain, judge := s.Judge.Model.plain(), *s.Judge
		judge.Model = &plain
		c.Judge = &judge
	}
	c.Datasets = append([]Dataset(nil), s.Datasets...)
	for i := range c.Datasets {
		c.Datasets[i].Source.Name = "" // Text holds what is written
	}
	if c.Confidence.LabelMass == usualMass {
		c.Confidence.LabelMass = 0 // studies older than this key keep their hash
	}
	target := s.Policy.Target.String()
	if xi, ok := s.Policy.Target.Numeric(); ok {
		target = xi.RatString() // 0.950 is 0.95
	}
	c.Policy.Target = policy.Target{}
	b, err := json.Marshal(struct {
		Study
		Target string
	}{c, target})
	if err != nil {
		panic("spec: a checked study has no JSON: " + err.Error())
	}
	return b
}

// plain returns the part of a model that counts in the hash.
func (m Model) plain() Model {
	m.FS, m.HeadersEnv = nil, nil // Path holds what is written; Config writes what counts of it
	if m.Recording != nil {
		answers := *m.Recording
		answers.File = "" // Text holds what is written
		m.Recording = &answers
	}
	return m
}
