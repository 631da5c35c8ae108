package spec

import (
	"cmp"
	"fmt"
	"slices"
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
	serves   bool // models: it is the study's embedder, scorer or judge
}

func (d *definition) wrong(key, message, hint string) { d.file.wrong(d.at+"."+key, message, hint) }

func (d *definition) missing(key, hint string) { d.file.missing(d.at, key, hint) }

func (d *definition) has(key string) bool { return d.file.text.Has(d.at + "." + key) }

func (d *definition) model() *Model { return &d.file.raw.Models[d.i] }

func (d *definition) dataset() *Dataset { return &d.file.raw.Datasets[d.i] }

// definitions are all entries of a section, the study's first.
type definitions []*definition

func (ds definitions) find(name string) *definition {
	for _, d := range ds {
		if d.name != "" && d.name == name {
			return d
		}
	}
	return nil
}

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
	models, datasets := define(in, string(OfModels)), define(in, string(OfDatasets))
	if len(models) == 0 && in.whole {
		main.missing("", "models", "define two models, or use a catalog that does")
	}
	if len(datasets) == 0 && in.whole {
		main.missing("", "datasets", "define a dataset, or use a catalog that does")
	}
	for _, d := range datasets {
		name := d.dataset().IfSet
		switch {
		case !d.has("if_set"):
		case !place.IsVariable(name):
			d.wrong("if_set", fmt.Sprintf("%q is no name of an environment variable", name),
				"write the name alone, such as INFNET_DATA")
		default:
			d.file.variables[name] = true
			if value, set := d.file.getenv(name); !set || value == "" {
				d.absent = name
			}
		}
	}
	stand := newStandIns(in, models, o.StandIns)
	c := &cascadeCheck{main: main, models: models, datasets: datasets, whole: in.whole, stand: stand}
	c.cascades(s)
	for _, d := range datasets {
		if d.absent != "" && d.used {
			s.LeftOut = append(s.LeftOut, d.name)
			d.file.warn(d.at+".if_set", fmt.Sprintf("the dataset %q is left out: the environment variable %s is not set",
				d.name, d.absent), fmt.Sprintf("set it, for example: export %s=/path/to/folder", d.absent))
		}
	}
	stand.learners(main.raw.Baselines)
	helpers := c.helpers(s)
	s.StandIns = stand.noted

	s.Cost.Prices.apply(models)
	build := &modelCheck{files: in, servers: servers, builtin: o.Models, study: s}
	for _, d := range models {
		if !d.used && !d.serves && !d.own {
			continue
		}
		m := build.model(d)
		if d.used {
			s.Models = append(s.Models, m)
		}
		for _, h := range helpers {
			if h.model == d {
				h.take(s, main, m)
			}
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

// define lists the entries of a section in all files, the study's first, and reports doubled names.
func define(in *sources, section string) definitions {
	var out definitions
	first := map[string]*definition{}
	for _, f := range in.files {
		n := len(f.raw.Models)
		if section == string(OfDatasets) {
			n = len(f.raw.Datasets)
		}
		for i := range n {
			d := &definition{file: f, at: place.Element(section, i), i: i, own: f.study}
			if out = append(out, d); section == string(OfDatasets) {
				d.name = d.dataset().Name
			} else {
				d.name = d.model().Name
			}
			if d.name == "" {
				continue
			}
			folded := strings.ToLower(d.name)
			if before, again := first[folded]; again && f.over && before.file != f {
				// Of an overriding file: it keeps the position among the study's own.
				before.file.named = true
				before.file, before.at, before.i, before.name = d.file, d.at, d.i, d.name
				out = out[:len(out)-1]
			} else if again {
				where := before.file.text.Key(before.at)
				f.wrong(d.at+".name", fmt.Sprintf("the name %q is taken, by %s:%d", d.name, before.file.name, where.Line),
					"names are unique over all files, whatever their case")
			} else {
				first[folded] = d
			}
		}
	}
	return out
}

// Section is a list of definitions in a spec.
type Section string

// The sections whose entries have a name.
const (
	OfModels   Section = "models"
	OfDatasets Section = "datasets"
)

type position struct {
	file *file
	at   string // such as datasets[0]
	main *file  // the study's own file
}

// At gives an error of a definition's data or model its place in the spec: the
// first of the keys that is written there (or, below split, in the study's own
// [split]), else the definition itself. fix says what to do about it; where the
// error's text already ends in it, it is moved to a line of its own. An error
// that has a place keeps it, and one of a study that Load did not make stays
// without.
func (s *Study) At(in Section, name string, err error, fix string, keys ...string) error {
	p, known := s.positions[string(in)+" "+name]
	if _, placed := err.(*place.Fault); err == nil || placed || !known {
		return err
	}
	f, path := p.find(keys)
	message := strings.ReplaceAll(err.Error(), "\n", "; ")
	if fix != "" {
		message = strings.TrimSuffix(strings.TrimSuffix(message, fix), "; ")
	}
	return f.text.Problem(f.text.Key(path), path, message, fix).Wrap(err)
}

// find returns the first of the keys that is written, and the file it is in.
func (p position) find(keys []string) (*file, string) {
	for _, key := range keys {
		if path := p.at + "." + key; p.file.text.Has(path) {
			return p.file, path
		}
		if strings.HasPrefix(key, "split.") || key == "transfer.by" {
			for _, f := range []*file{p.main, p.file} {
				if f.text.Has(key) {
					return f, key
				}
			}
		}
	}
	return p.file, p.at
}

func (s *Study) remember(main *file, in Section, list []*definition) {
	if s.positions == nil {
		s.positions = map[string]position{}
	}
	for _, d := range slices.Backward(list) { // of equal names the first
		if d.name != "" {
			s.positions[string(in)+" "+d.name] = position{file: d.file, at: d.at, main: cmp.Or(main, d.file)}
		}
	}
}
