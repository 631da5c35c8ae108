package spec

import (
	"fmt"
	"maps"
	"slices"

	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// checkTogether checks what the tables of a study mean for each other.
func checkTogether(s *Study, in *sources, models, datasets definitions, servers map[string]*backend) {
	main := in.main()
	checkAnswering(s, main)
	checkUnused(servers, s)
	checkChains(s, main)
	checkSampling(s, main)
	checkObjective(s, main)
	checkErrorCost(s, main)
	warnUnused(models, "model", "no cascade names it")
	warnUnused(datasets, "dataset", "no cascade is measured on it")
	warnIdle(in, servers, models, datasets)
	checkGraded(s, main)
	checkTexts(s, main)
	checkTurns(s, main)
	checkPrices(s, models)
	checkBatchPrices(s, main, models)
	checkSpending(s, models)
	checkCalibration(s, main)
	checkVaried(s, main)
	checkDomains(s, main)
	checkAlike(s, main)
}

// element is where a cascade names a model: its list of models, where another
// stands in.
// The pools follow the cascades, and the grid's cascades the pools.
func element(main *file, cascade int, model string) string {
	at, models := place.Element("cascades", cascade)+".models", []string(nil)
	pool := cascade - len(main.raw.Cascades)
	switch further := pool - len(main.raw.Pools); {
	case further >= 0:
		at, models = place.Element("grid.models", further), main.raw.Grid.Models[further]
	case pool >= 0:
		at, models = place.Element("pools", pool)+".models", main.raw.Pools[pool].Models
	default:
		models = main.raw.Cascades[cascade].Models
	}
	if j := slices.Index(models, model); j >= 0 {
		return place.Element(at, j)
	}
	return at
}

// checkAnswering refuses models that answer nothing in cascades.
func checkAnswering(s *Study, main *file) {
	for i, c := range s.Asked() {
		for _, name := range c.Models {
			m, ok := s.Model(name)
			if !ok || m.Config.Model.Kind == "" {
				continue
			}
			switch can := m.Config.Traits(); {
			case can.Answers:
			case can.Scores:
				main.wrong(element(main, i, name), fmt.Sprintf("%s is a scorer: it scores pairs of texts and answers nothing",
					name), "name it as the model of [scorer], and here a model that answers")
			default:
				main.wrong(element(main, i, name), fmt.Sprintf("%s is an encoder: it embeds texts and answers nothing", name),
					"name it as the model of [embedder], and here a model that answers")
			}
		}
	}
}

// checkChains asks every kind what is wrong with its models in the cascades.
func checkChains(s *Study, main *file) {
	for i, c := range s.Asked() {
		l := link{}
		for _, name := range c.Datasets {
			if d, ok := s.Dataset(name); ok {
				l.datasets = append(l.datasets, d)
				l.classifies = l.classifies || d.Task == task.Classification
			}
		}
		for j, name := range c.Models {
			m, ok := s.Model(name)
			if !ok {
				continue
			}
			wrong := func(message, hint string) { main.wrong(element(main, i, name), message, hint) }
			if m.Samples != nil {
				checkSampled(s, m, l.datasets, wrong)
			}
			if k := kindOf(m.Config.Model.Kind); k != nil && k.chained != nil {
				l.model, l.student = m, j < len(c.Models)-1 && !c.Pool && m.Samples == nil
				k.chained(l, wrong)
			}
		}
	}
}

// checkSampled refuses costs that cannot be those of several answers, and a calibration that votes are no material for.
func checkSampled(s *Study, m *Model, datasets []*Dataset, wrong func(message, hint string)) {
	if s.Cost.Summary == cost.Signature {
		wrong(fmt.Sprintf("%s answers %d times (samples), and cost.summary = \"signature\" is of one answer", m.Name,
			m.Samples.N), "set cost.summary = \"mean\" or \"median\"")
	}
	if s.Policy.Calibration == confidence.Temperature {
		wrong(fmt.Sprintf("%s answers %d times (samples), and policy.calibration = \"temperature\" rescales the scores of "+
			"all labels, which votes are not", m.Name, m.Samples.N), "use isotonic or platt")
	}
	for _, d := range datasets {
		if d.Padding != 0 {
			wrong(fmt.Sprintf("%s answers %d times (samples), and the padding of %s counts each record once in a batch", m.Name,
				m.Samples.N, d.Name), "leave padding out")
		}
	}
}

// checkSampling refuses samples of models that do not answer the study's records.
func checkSampling(s *Study, main *file) {
	of := map[string]*Model{"embedder.model": s.Embedder.Model, "scorer.model": s.Scorer}
	if s.Judge != nil {
		of["judge.model"] = s.Judge.Model
	}
	for _, key := range slices.Sorted(maps.Keys(of)) {
		if m := of[key]; m != nil && m.Samples != nil {
			main.wrong(key, fmt.Sprintf("%s has samples, and is asked once here", m.Name), "name a model without samples")
		}
	}
}

// checkObjective refuses to minimise time in longer cascades, which minimise cost.
func checkObjective(s *Study, main *file) {
	for _, c := range s.Chains() {
		if len(c.Models) > 2 && s.Policy.Objective == policy.Latency {
			main.wrong("policy.objective", fmt.Sprintf("%s is for cascades of two models, and %s has %d: those minimise the "+
				"study's cost", policy.Latency, c.Name, len(c.Models)), "set cost.model = \"latency\", or leave the objective out")
			return
		}
	}
}

// checkErrorCost refuses a price of errors where no table of a cascade has a place for it.
func checkErrorCost(s *Study, main *file) {
	if s.Policy.ErrorCost > 0 && len(s.Cascades) == 0 {
		main.wrong("policy.error_cost", "only cascades are priced, and the study has none",
			"add [[cascades]], or leave error_cost out")
	}
}

// warnUnused warns of the study's own definitions that nothing names.
func warnUnused(all definitions, what, why string) {
	for _, d := range all {
		if !d.used && !d.serves && !d.replaced && d.own && d.name != "" {
			d.file.warn(d.at, fmt.Sprintf("the %s %q is not used", what, d.name), why)
		}
	}
}

// warnIdle warns of catalogs from which no model and no dataset is taken; one of
// backends alone serves the models of others.
func warnIdle(in *sources, servers map[string]*backend, lists ...definitions) {
	for _, f := range in.files[1:] {
		taken := f.named || f.raw.Slurm != nil || slices.Contains(slices.Collect(maps.Values(in.main().from)), f)
		for _, d := range slices.Concat(lists...) {
			taken = taken || d.file == f && (d.used || d.serves)
		}
		for _, b := range servers {
			taken = taken || b.file == f && b.used
		}
		if !taken {
			f.warnings.Add(place.Problem{File: f.name, Message: "nothing of this catalog is used"})
		}
	}
}

// checkCalibration refuses a calibration that a dataset gives no material for.
func checkCalibration(s *Study, main *file) {
	if s.Policy.Calibration != confidence.Temperature {
		return
	}
	for _, d := range s.Datasets {
		if d.Task != "" && d.Task != task.Classification {
			main.wrong("policy.calibration", fmt.Sprintf("temperature is for label probabilities, and %s is a task of %s",
				d.Name, d.Task), "use isotonic or platt, or leave the dataset out")
			return
		}
	}
}
