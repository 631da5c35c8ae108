package spec

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"infnet/harness/spec/place"
)

// sources are the files of a study: the study first, then its catalogs and the
// files over it.
type sources struct {
	files []*file
	whole bool // every file was read; else a name that is not found is no mistake by itself
}

// Most entries of a study, over all files. Names are looked up one by one.
const (
	mostEntries  = 1000
	mostCascades = 100
	mostModels   = 3  // of a cascade: thresholds of more are not exact
	mostPooled   = 20 // of a pool: all their pairs and chains of three are tried
)

// readSources reads a study, its catalogs and the files over it. It returns
// false where the study cannot be read, or is larger than any study is.
func readSources(r *report, name string, o Options) (*sources, bool) {
	main := &file{report: r, name: name, where: name, study: true}
	s := &sources{files: []*file{main}, whole: true}
	data, err := r.fsys.read(name)
	if err != nil {
		main.fault("cannot read the spec: "+reason(err), "name an existing TOML file; infnet init writes one")
		return s, false
	}
	if !main.parse(data, &main.raw) {
		return s, false
	}
	if n := o.Limit; n != 0 && n < FewestRows {
		main.fault(fmt.Sprintf("--limit %d", n), fmt.Sprintf("%d rows or more, or leave it out", FewestRows))
	}
	s.catalogs()
	s.inherit()
	s.over(o.Use)
	return s, s.sized()
}

func (s *sources) main() *file { return s.files[0] }

func (s *sources) catalogs() {
	main := s.main()
	seen := map[string]int{}
	for i, written := range main.raw.Use {
		key := place.Element("use", i)
		where, err := main.fsys.resolve(main.where, written)
		if err != nil {
			main.wrong(key, err.Error(), "")
			s.whole = false
			continue
		}
		if j, again := seen[where]; again {
			main.wrong(key, fmt.Sprintf("the same catalog as use[%d]", j), "name it once")
			continue
		}
		seen[where] = i
		s.add(&file{report: main.report, name: where, where: where}, func(why string) {
			main.wrong(key, fmt.Sprintf("cannot read the catalog %s: %s", where, why),
				"paths are relative to the file that contains them")
		})
	}
}

// over reads the files whose definitions take the place of the study's and of
// its catalogs'. A file that is named twice counts where it is named last.
func (s *sources) over(use []string) {
	main := s.main()
	for i, name := range use {
		if slices.Contains(use[i+1:], name) {
			continue
		}
		s.add(&file{report: main.report, name: name, where: name, over: true}, func(why string) {
			main.fault(fmt.Sprintf("--use %s: cannot read the catalog: %s", name, why),
				"a TOML file of models, datasets and backends, relative to the working folder")
		})
	}
}

func (s *sources) add(f *file, unread func(why string)) {
	data, err := f.fsys.read(f.where)
	if err != nil {
		unread(reason(err))
		s.whole = false
		return
	}
	s.files = append(s.files, f)
	s.whole = f.parse(data, &f.raw) && s.whole
}

// sized refuses a study that is larger than any study is.
func (s *sources) sized() bool {
	models, datasets := 0, 0
	for _, f := range s.files {
		models += len(f.raw.Models)
		datasets += len(f.raw.Datasets)
	}
	fine := true
	for _, n := range []struct {
		what      string
		have, may int
	}{
		{"models", models, mostEntries}, {"datasets", datasets, mostEntries},
		{"cascades", len(s.main().raw.Cascades), mostCascades}, {"pools", len(s.main().raw.Pools), mostCascades},
	} {
		if n.have > n.may {
			s.main().fault(fmt.Sprintf("%d %s: a study has at most %d", n.have, n.what, n.may), "")
			fine = false
		}
	}
	return fine
}

// ranked lists the files by precedence, where several define the same name:
// those over the study, the last first, then the study, then its catalogs.
func (s *sources) ranked() []*file {
	var over, rest []*file
	for _, f := range s.files {
		if f.over {
			over = append(over, f)
		} else {
			rest = append(rest, f)
		}
	}
	slices.Reverse(over)
	return append(over, rest...)
}

// names lists the files as errors show them, in the order they were read.
func (s *sources) names() []string {
	var out []string
	for _, f := range s.files {
		out = append(out, f.name)
	}
	return out
}

func (s *sources) models() []string {
	var out []string
	for _, f := range s.files {
		for _, m := range f.raw.Models {
			out = append(out, m.Name)
		}
	}
	return out
}

// inherit gives the study the settings of its catalogs that it does not write itself: whole lists and tables that may
// be missing, single keys of the others and of tables of names. The first catalog that has a key counts.
func (s *sources) inherit() {
	main := s.main()
	main.from = map[string]*file{}
	for _, c := range s.files[1:] {
		if c.over || c.text == nil {
			continue
		}
		for o := range options(reflect.ValueOf(&main.raw).Elem()) {
			if o.tag.Get("only") == "use" {
				main.take(o.key, o.Value, find(reflect.ValueOf(&c.raw).Elem(), o.key).Value, c)
			}
		}
	}
}

// take sets a value that the file does not write to that of a catalog.
func (f *file) take(path string, into, theirs reflect.Value, c *file) {
	switch {
	case !c.text.Has(path):
	case into.Kind() == reflect.Struct && !isLeaf(into.Addr().Interface()):
		for o := range options(into) {
			f.take(place.Join(path, o.key), o.Value, find(theirs, o.key).Value, c)
		}
	case into.Kind() == reflect.Map && !into.IsNil():
		for _, k := range theirs.MapKeys() {
			if !into.MapIndex(k).IsValid() {
				into.SetMapIndex(k, theirs.MapIndex(k))
			}
		}
	case !f.text.Has(path) && f.owner(path) == f: // else the study has it, or an earlier catalog
		into.Set(theirs)
		f.from[path] = c
		maps.Copy(f.bad, c.bad)
	}
}

// owner is the file that a value of the study comes from: itself, or a catalog.
func (f *file) owner(path string) *file {
	if f.text.Has(path) {
		return f
	}
	for ; path != ""; path = place.Parent(path) {
		if c := f.from[path]; c != nil {
			return c
		}
	}
	return f
}
