package spec

import (
	"fmt"
	"strings"

	"infnet/harness/spec/place"
)

// definition is a [[models]] or [[datasets]] entry, in whatever file.
type definition struct {
	file   *file
	at     string // such as datasets[2]
	i      int    // index in its file
	name   string // "" where it has none
	used   bool
	absent string // datasets: the variable of if_set, which is not set on this machine
	own    bool   // the study's own, also where a file over the study has replaced it

	replaced bool // models: another stands in for it somewhere
	serves   bool // models: it is the study's embedder or scorer
}

// wrong reports a wrong value of one of its keys.
func (d *definition) wrong(key, message, hint string) { d.file.wrong(d.at+"."+key, message, hint) }

// missing reports a key that it must have.
func (d *definition) missing(key, hint string) { d.file.missing(d.at, key, hint) }

// model is the entry of a model.
func (d *definition) model() *rawModel { return &d.file.raw.Models[d.i] }

// dataset is the entry of a dataset.
func (d *definition) dataset() *rawDataset { return &d.file.raw.Datasets[d.i] }

// definitions are all entries of a section, the study's first.
type definitions []*definition

// find returns the entry of a name; nil = there is none.
func (ds definitions) find(name string) *definition {
	for _, d := range ds {
		if d.name != "" && d.name == name {
			return d
		}
	}
	return nil
}

// names lists the names of the entries.
func (ds definitions) names() []string {
	var out []string
	for _, d := range ds {
		if d.name != "" {
			out = append(out, d.name)
		}
	}
	return out
}

// checkDefinitions checks models, datasets and cascades, fills in those that the study uses, and
// checks that they fit together.
func checkDefinitions(s *Study, in *sources, o Options) {
	main := in.main()
	servers := listBackends(in)
	models := define(in, "models",
		func(r *rawStudy) []*string { return names(r.Models, func(m *rawModel) *string { return m.Name }) })
	datasets := define(in, "datasets",
		func(r *rawStudy) []*string { return names(r.Datasets, func(d *rawDataset) *string { return d.Name }) })
	if len(models) == 0 && in.whole {
		main.missing("", "models", "define two models, or use a catalog that does")
	}
	if len(datasets) == 0 && in.whole {
		main.missing("", "datasets", "define a dataset, or use a catalog that does")
	}
	checkConditions(datasets)
	stand := newStandIns(in, models, o.StandIns)
	c := &cascadeCheck{main: main, models: models, datasets: datasets, whole: in.whole, stand: stand}
	s.Cascades = c.cascades()
	s.Pools = c.pools(s.Policy.Setting)
	c.grid(s)
	s.LeftOut = leftOut(datasets)
	stand.learners(main.raw.Baselines)
	embeds, scores, judges := c.embedder(s), c.scorer(), c.judge()
	s.StandIns = stand.noted

	s.Cost.Prices.apply(models)
	build := &modelCheck{files: in, servers: servers, builtin: o.Models, study: s}
	for _, d := range models {
		if !d.used && d != embeds && d != scores && d != judges && !d.own {
			continue
		}
		m := build.model(d)
		if d.used {
			s.Models = append(s.Models, m)
		}
		if d == embeds {
			takeEmbedder(s, main, m)
		}
		if d == scores {
			takeScorer(s, main, m)
		}
		if d == judges {
			takeJudge(s, main, m)
		}
	}
	for _, d := range datasets {
		if d.absent == "" && (d.used || d.own) {
			set := checkDataset(d, s, main, o)
			if d.used {
				s.Datasets = append(s.Datasets, set)
			}
		}
	}
	s.remember(main, OfModels, models)
	s.remember(main, OfDatasets, datasets)
	checkTogether(s, in, models, datasets, servers)
}

func names[T any](list []T, name func(*T) *string) []*string {
	out := make([]*string, len(list))
	for i := range list {
		out[i] = name(&list[i])
	}
	return out
}

// define lists the entries of a section in all files, the study's first, and
// reports missing and doubled names.
func define(in *sources, section string, of func(*rawStudy) []*string) definitions {
	var out definitions
	first := map[string]*definition{}
	for _, f := range in.files {
		for i, name := range of(&f.raw) {
			d := &definition{file: f, at: place.Element(section, i), i: i, own: f.study}
			out = append(out, d)
			d.name = f.nameOf(d.at, "name", name, "cascades and tables refer to it by its name")
			if d.name == "" {
				continue
			}
			folded := strings.ToLower(d.name)
			if before, again := first[folded]; again && f.over && before.file != f {
				before.take(d)
				out = out[:len(out)-1]
				continue
			} else if again {
				where := before.file.text.Key(before.at)
				f.wrong(d.at+".name", fmt.Sprintf("the name %q is taken, by %s:%d", d.name, before.file.name, where.Line),
					"names are unique over all files, whatever their case")
				continue
			}
			first[folded] = d
		}
	}
	return out
}

// take replaces this definition by one of an overriding file, and keeps its position among the
// study's own.
func (d *definition) take(over *definition) {
	d.file.named = true
	d.file, d.at, d.i, d.name = over.file, over.at, over.i, over.name
}
