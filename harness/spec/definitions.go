package spec

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/confidence"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// definition is a [[models]] or [[datasets]] entry, in whatever file.
type definition struct {
	file *file
	at   string // such as datasets[2]
	i    int    // index in its file
	name string // "" where it has none
	used bool
	away string // datasets: the variable of if_set, which is not set here
	own  bool   // the study's own, also where a file over the study has replaced it

	replaced bool // models: another stands in for it somewhere
	embeds   bool // models: it is the study's embedder or scorer
}

// definitions checks models, datasets and cascades, and fills in those that
// the study uses. whole is false where a catalog could not be read: then a
// name that is not found is no mistake by itself.
func (l *loader) definitions(s *Study, whole bool) {
	main := l.files[0]
	l.backends = l.tables()
	models := l.named("models", func(r *rawStudy) []*string { return names(r.Models, func(m *rawModel) *string { return m.Name }) })
	datasets := l.named("datasets", func(r *rawStudy) []*string { return names(r.Datasets, func(d *rawDataset) *string { return d.Name }) })
	if len(models) == 0 && whole {
		l.missing(main, "", "models", "define two models, or use a catalog that does")
	}
	if len(datasets) == 0 && whole {
		l.missing(main, "", "datasets", "define a dataset, or use a catalog that does")
	}
	l.conditions(datasets)
	l.standIns(models, whole)
	cascades := l.cascades(main, models, datasets, whole, s)
	l.leftOut(s, datasets)
	l.encodersInstead(s, models)
	tuned := l.fineTuned(main, models, whole)
	embeds := l.embeds(s, models, cascades, whole)
	scores := l.scores(s, models, cascades, whole)
	for _, d := range models {
		if d.used || d == embeds || d == scores || d.own {
			m := l.model(d, s)
			switch {
			case slices.Contains(tuned, d):
				s.Encoders = append(s.Encoders, m)
			case d.used:
				s.Models = append(s.Models, m)
			}
			if d == embeds {
				l.embedder(s, m)
			}
			if d == scores {
				l.scorer(s, m)
			}
		}
	}
	for _, d := range datasets {
		if d.away == "" && (d.used || d.own) {
			set := l.dataset(d, s)
			if d.used {
				s.Datasets = append(s.Datasets, set)
			}
		}
	}
	s.Cascades = cascades
	s.remember(main, OfModels, models)
	s.remember(main, OfDatasets, datasets)
	l.answering(s)
	l.unnamed(s)
	l.students(s)
	l.endpoints(s)
	l.unused(models, "model", "no cascade names it")
	l.unused(datasets, "dataset", "no cascade is measured on it")
	l.idle(models, datasets)
	l.replays(s, models)
	l.costs(s, models)
	l.counted(s, models)
	l.calibration(s)
}

// calibration refuses what a dataset of the study gives no material for.
func (l *loader) calibration(s *Study) {
	if s.Policy.Calibration != confidence.Temperature {
		return
	}
	for _, d := range s.Datasets {
		if d.Task != "" && d.Task != task.Classification {
			l.bad(l.files[0], "policy.calibration", fmt.Sprintf("temperature is for label probabilities, and %s is a task of %s", d.Name, d.Task), "use isotonic or platt, or leave the dataset out")
			return
		}
	}
}

func names[T any](list []T, name func(*T) *string) []*string {
	out := make([]*string, len(list))
	for i := range list {
		out[i] = name(&list[i])
	}
	return out
}

// named lists the entries of a section in all files, the study's first, and
// reports missing and doubled names.
func (l *loader) named(section string, of func(*rawStudy) []*string) []*definition {
	var out []*definition
	first := map[string]*definition{}
	for _, f := range l.files {
		for i, name := range of(&f.raw) {
			d := &definition{file: f, at: place.Element(section, i), i: i, own: f.study}
			out = append(out, d)
			d.name = l.name(f, d.at, "name", name, "cascades and tables refer to it by its name")
			if d.name == "" {
				continue
			}
			folded := strings.ToLower(d.name)
			if before, again := first[folded]; again && f.over && !before.file.over {
				before.take(d)
				out = out[:len(out)-1]
				continue
			} else if again {
				where := before.file.text.Key(before.at)
				l.bad(f, d.at+".name", fmt.Sprintf("the name %q is taken, by %s:%d", d.name, before.file.name, where.Line), "names are unique over all files, whatever their case")
				continue
			}
			first[folded] = d
		}
	}
	return out
}

// cascades checks the chains, and marks what they use.
func (l *loader) cascades(main *file, models, datasets []*definition, whole bool, s *Study) []Cascade {
	var out []Cascade
	if main.raw.Cascades == nil {
		l.missing(main, "", "cascades", "[[cascades]] with models = [\"student\", \"master\"], cheapest first")
	} else if len(main.raw.Cascades) == 0 {
		l.bad(main, "cascades", "the list is empty", "[[cascades]] with models = [\"student\", \"master\"], cheapest first")
	}
	seen := map[string]int{}
	for i, r := range main.raw.Cascades {
		at := place.Element("cascades", i)
		c := Cascade{}
		if r.Name != nil {
			c.Name = l.name(main, at, "name", r.Name, "")
		} else {
			c.Name = strings.Join(r.Models, "+")
		}
		asked := l.standIn(r.Models, c.Name, models, &s.StandIns)
		if !slices.Equal(asked, r.Models) {
			c.Written = r.Models
			l.pick(main, at+".models", r.Models, models, "model", whole, false)
		}
		c.Models = l.pick(main, at+".models", asked, models, "model", whole, true)
		switch n := len(r.Models); {
		case r.Models == nil:
			l.missing(main, at, "models", "models = [\"student\", \"master\"], cheapest first")
		case n < 2:
			l.bad(main, at+".models", fmt.Sprintf("a cascade of %d: it takes a student and a master", n), "name two models or more, cheapest first")
		case n > mostModels:
			l.bad(main, at+".models", fmt.Sprintf("a cascade of %d models: it has at most %d", n, mostModels), "every pair of them is analysed too; leave some out")
		}
		c.Datasets = l.measuredOn(main, at, r.Datasets, datasets, whole)
		folded := strings.ToLower(c.Name)
		if j, again := seen[folded]; again && folded != "" {
			l.bad(main, place.Join(at, "name"), fmt.Sprintf("the cascade %q is there already, as cascades[%d]", c.Name, j), "give one of them another name")
		}
		seen[folded] = i
		out = append(out, c)
	}
	return out
}

// pick finds the named definitions and marks them as used, if they are. Datasets come back
// in the order of their definitions, models as written.
func (l *loader) pick(main *file, key string, written []string, all []*definition, what string, whole, use bool) []string {
	known := defined(all)
	var out []string
	for i, name := range written {
		at := place.Element(key, i)
		j := slices.IndexFunc(all, func(d *definition) bool { return d.name != "" && d.name == name })
		switch {
		case j < 0 && whole:
			hint := "there is none; define it"
			if len(known) > 0 {
				hint = place.Suggest(name, known)
			}
			l.bad(main, at, fmt.Sprintf("no %s is named %q", what, name), hint)
		case j < 0:
		case slices.Contains(out, name):
			l.bad(main, at, fmt.Sprintf("the %s %q twice", what, name), "name it once")
		default:
			all[j].used = all[j].used || use
			if all[j].away == "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// measuredOn lists the datasets of a cascade: those it names, else the
// study's own, else the catalogs'.
func (l *loader) measuredOn(main *file, at string, written []string, all []*definition, whole bool) []string {
	if written == nil && main.text.Has(at+".datasets") {
		return nil // written, and wrong
	}
	if written == nil {
		own := slices.ContainsFunc(all, func(d *definition) bool { return d.own })
		for _, d := range all {
			if d.name != "" && d.own == own {
				written = append(written, d.name)
			}
		}
		slices.Sort(written)
		written = slices.Compact(written) // a doubled name is reported where it stands
	} else if len(written) == 0 {
		l.bad(main, at+".datasets", "the list is empty", "leave datasets out to use all of the study's own")
	}
	picked := l.pick(main, at+".datasets", written, all, "dataset", whole, true)
	var out []string
	for _, d := range all {
		if slices.Contains(picked, d.name) && !slices.Contains(out, d.name) {
			out = append(out, d.name)
		}
	}
	if len(written) > 0 && len(out) == 0 && slices.ContainsFunc(all, func(d *definition) bool { return d.used && d.away != "" }) {
		l.bad(main, at, "none of its datasets is used on this machine: the variables of their if_set are not set", "set one, or add a dataset that every machine has")
	}
	return out
}

// unused warns of the study's own definitions that nothing names.
func (l *loader) unused(all []*definition, what, why string) {
	for _, d := range all {
		if !d.used && !d.embeds && !d.replaced && d.own && d.name != "" {
			l.warn(d.file, d.at, fmt.Sprintf("the %s %q is not used", what, d.name), why)
		}
	}
}

// idle warns of catalogs from which no model and no dataset is taken; one of
// backends alone serves the models of others.
func (l *loader) idle(lists ...[]*definition) {
	for _, f := range l.files[1:] {
		taken := f.named
		for _, d := range slices.Concat(lists...) {
			taken = taken || d.file == f && (d.used || d.embeds)
		}
		for _, b := range l.backends {
			taken = taken || b.file == f && b.used
		}
		if !taken {
			l.warnings.Add(place.Problem{File: f.name, Message: "nothing of this catalog is used"})
		}
	}
}
