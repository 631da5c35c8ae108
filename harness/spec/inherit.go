package spec

import (
	"maps"
	"reflect"

	"infnet/harness/spec/place"
)

// inherit gives the study the settings of its catalogs that it does not write itself: whole lists and tables that may
// be missing, single keys of the others and of tables of names. The first catalog that has a key counts.
func (s *sources) inherit() {
	main := s.main()
	main.from = map[string]*file{}
	for _, c := range s.files[1:] {
		if c.over || c.text == nil {
			continue
		}
		theirs := map[string]reflect.Value{}
		for o := range options(reflect.ValueOf(&c.raw).Elem()) {
			theirs[o.key] = o.Value
		}
		for o := range options(reflect.ValueOf(&main.raw).Elem()) {
			if o.tag.Get("only") == "use" {
				main.take(o.key, o.Value, theirs[o.key], c)
			}
		}
	}
}

// take sets a value that the file does not write to that of a catalog.
func (f *file) take(path string, into, theirs reflect.Value, c *file) {
	switch {
	case !c.text.Has(path):
	case into.Kind() == reflect.Struct && !isLeaf(into.Addr().Interface()):
		own := map[string]reflect.Value{}
		for o := range options(theirs) {
			own[o.key] = o.Value
		}
		for o := range options(into) {
			f.take(place.Join(path, o.key), o.Value, own[o.key], c)
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
