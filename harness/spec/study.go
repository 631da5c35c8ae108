package spec

import (
	"io/fs"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/router"
	"infnet/harness/spec/place"
)

// Study is a checked study: every name resolved, every default filled in.
// Load makes it; nothing changes it afterwards, so any number of goroutines
// may read it. It holds no secret.
type Study struct {
	Name string // names the folder of its results
	Seed uint64 // of every random stream
	File string // the spec as it was named to Load
	Hash string // SHA-256 of the resolved study, hexadecimal; see Hash in hash.go

	Models   []Model   // those the cascades name, in the order of the definitions
	Datasets []Dataset // those the cascades name, likewise
	Cascades []Cascade // at least one, or a pool
	Pools    []Pool    `json:",omitempty"`

	// LeftOut are datasets of the cascades that this machine does without: the
	// variable of their if_set is not set here.
	LeftOut []string `json:",omitempty"`

	Embedder   Embedder
	Scorer     *Model `json:",omitempty"` // of BARTScore; nil = none
	Judge      *Judge `json:",omitempty"` // of answers; nil = none
	Cost       Cost
	Policy     Policy
	Confidence Confidence
	Baselines  []Baseline // none, all and oracle-router always; random once or more; in the order of the tables
	Collect    Collect
	Report     Report

	StandIns []StandIn `json:",omitempty"` // models that are asked in place of those the cascades name

	Sufficiency *Sufficiency `json:",omitempty"` // nil = not tested
	Grid        *Grid        `json:",omitempty"` // nil = no setting is varied
	Transfer    *Transfer    `json:",omitempty"` // nil = nothing is transferred

	Slurm *Slurm   `json:"-"` // how the study is submitted to a cluster; nil = nothing is said; see Cluster
	Env   []string `json:"-"` // the environment variables that it names, sorted

	// FS is where the datasets' paths point: nil for the machine's file
	// system, else the file system given to LoadFS (the embedded quickstart),
	// in which paths are slash-separated and relative to its root. Each model
	// says for itself (Model.FS): built-in ones are embedded wherever the spec
	// is.
	FS fs.FS

	// Warnings are what a careful reader would ask about: definitions that
	// nothing uses, and the like. They stop nothing.
	Warnings []place.Problem

	positions map[string]position // of definitions, by section and name; see At
}

// Cascade is a chain of models, cheapest first.
type Cascade struct {
	// name in tables and files
	Name string `toml:"name" usual:"the models' names joined by +" range:"a name"`
	// the student, then the master; of three the pairs are analysed too
	Models  []string `toml:"models" need:"models = [\"student\", \"master\"], cheapest first" range:"two or three names, cheapest first"`
	Written []string `json:",omitempty"` // the models that the spec names, where others stand in for them
	// what it is measured on
	Datasets []string `toml:"datasets" usual:"the study's own; the catalogs' where it has none" range:"names"`

	// Pool: the models are a pool, in no order, and no model needs a confidence.
	Pool bool `json:",omitempty"`
}

// Pool is a set of models whose worth is weighed: which of them to ask, alone,
// in cascades or otherwise.
type Pool struct {
	// name in tables and files
	Name string `toml:"name" usual:"the models' names joined by +" range:"a name"`
	// tried: each alone, mixes of two, pairs with every threshold, chains, ensembles, a router; by each record's own
	// costs
	Models []string `toml:"models" need:"models = [\"small\", \"medium\", \"large\"]" range:"two to twenty names, in any order"`
	// what it is measured on
	Datasets []string `toml:"datasets" usual:"the study's own; the catalogs' where it has none" range:"names"`
}

// Cascade is the pool as a set of models that answer the same records.
func (p *Pool) Cascade() Cascade {
	return Cascade{Name: p.Name, Models: p.Models, Datasets: p.Datasets, Pool: true}
}

// Baseline is one baseline row.
type Baseline struct {
	// which baseline
	Kind baseline.Kind `toml:"kind" need:"names"`
	// probability of deferring
	P     float64 `toml:"p" when:"kind=random" fix:"a share: 0.01 is one in a hundred" default:"0.5" range:"0 to 1"`
	Draws int     // random: draws averaged, ≥ 1; 1 with Numpy

	// Numpy: draw as numpy.random.default_rng(NumpySeed) does, one draw, as
	// the published tables were made. Else from the study's seed.
	Numpy     bool
	NumpySeed uint64
	// the study's seed, or numpy's default_rng(N) to the bit, as the published tables
	RNG string `toml:"rng" json:"-" when:"kind=random" usual:"seed" range:"seed, numpy:N"`
	// the student's answer counts from this uncalibrated confidence on
	Threshold float64 `toml:"threshold" json:",omitempty" when:"kind=fixed" need:"the confidence from which the student's answer is taken, such as 0.85" range:"0 to 1"`
	// light: hashed n-grams and logistic regression; command: a program
	Learner router.Kind `toml:"learner" json:",omitempty" when:"kind=frugalgpt|hybridllm" default:"light"`
	// program and arguments, run in this file's folder for every fit (harness/program/PROTOCOL.md)
	Command []string `toml:"command" json:",omitempty" when:"learner=command" need:"learner = \"command\" runs a program: command = [\"python3\", \"learn.py\"]" range:"[\"python3\", \"learn.py\"]"`
	// released: as the authors' code: one fit, thresholds on records that it saw; frugalgpt the larger of P(right) and
	// P(wrong); hybridllm strictly better, delta relative, charged as a cascade
	Compat   string `toml:"compat" json:"-" when:"kind=frugalgpt|hybridllm" one:"none, released" default:"none"`
	Released bool   `json:",omitempty"` // that is released
	// the mean quality may be this far below the master's, on the fit part
	Delta float64 `toml:"delta" json:",omitempty" when:"kind=hybridllm|knn|clusters|matrix-factorization|carrot" default:"0.01" range:"-1000 to 1000"`
}

// Model returns the model with this name.
func (s *Study) Model(name string) (*Model, bool) {
	for i := range s.Models {
		if s.Models[i].Name == name {
			return &s.Models[i], true
		}
	}
	return nil, false
}

// Dataset returns the dataset with this name.
func (s *Study) Dataset(name string) (*Dataset, bool) {
	for i := range s.Datasets {
		if s.Datasets[i].Name == name {
			return &s.Datasets[i], true
		}
	}
	return nil, false
}

// Asked are the study's cascades and its pools: everything that models answer for.
func (s *Study) Asked() []Cascade {
	out := slices.Clone(s.Cascades)
	for i := range s.Pools {
		out = append(out, s.Pools[i].Cascade())
	}
	return out
}
