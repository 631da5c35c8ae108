package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/spec/place"
)

// Pool is a set of models whose worth is weighed: which of them to ask, alone,
// in cascades or otherwise.
type Pool struct {
	Name      string
	Models    []string             // two to twenty
	Datasets  []string             // as the study lists them
	Ensembles []chain.EnsembleRule // of two, three and all models
}

// Cascade is the pool as a set of models that answer the same records.
func (p *Pool) Cascade() Cascade {
	return Cascade{Name: p.Name, Models: p.Models, Datasets: p.Datasets, Pool: true}
}

// Asked are the study's cascades, its pools, and the cascades of its grid: everything that models answer for.
func (s *Study) Asked() []Cascade {
	out := slices.Clone(s.Cascades)
	for i := range s.Pools {
		out = append(out, s.Pools[i].Cascade())
	}
	if s.Grid != nil {
		out = append(out, s.Grid.Cascades...)
	}
	return out
}

// mostPooled is the largest number of models in a pool: all their pairs and chains of
// three are tried.
const mostPooled = 20

// pools checks the pools.
func (c *cascadeCheck) pools(setting policy.Setting) (out []Pool) {
	main := c.main
	seen := map[string]int{}
	for i, r := range main.raw.Pools {
		at := place.Element("pools", i)
		p := Pool{Name: strings.Join(r.Models, "+"), Ensembles: r.Ensembles}
		if r.Ensembles == nil {
			p.Ensembles = chain.EnsembleRules()
		}
		if r.Name != nil {
			p.Name = main.nameOf(at, "name", r.Name, "")
		}
		folded := strings.ToLower(p.Name)
		if j, again := seen[folded]; again && folded != "" {
			main.wrong(place.Join(at, "name"), fmt.Sprintf("the pool %q is there already, as pools[%d]", p.Name, j),
				"give one of them another name")
		}
		seen[folded] = i
		p.Models = c.pick(at+".models", r.Models, c.models, "model", true)
		switch n := len(r.Models); {
		case r.Models == nil:
			main.missing(at, "models", "models = [\"small\", \"medium\", \"large\"]")
		case n < 2:
			main.wrong(at+".models", fmt.Sprintf("a pool of %d: there is nothing to choose from", n), "name two models or more")
		case n > mostPooled:
			main.wrong(at+".models", fmt.Sprintf("a pool of %d models: it has at most %d", n, mostPooled),
				"all pairs and chains of three are tried; leave some out")
		}
		if setting == policy.Oracle {
			main.wrong(at, "a pool in the oracle setting: there the last model is always right, and a pool has no last model",
				"leave policy.setting out, or the pool")
		}
		p.Datasets = c.measuredOn(at, r.Datasets)
		c.pooled = append(c.pooled, p)
		out = append(out, p)
	}
	return out
}
