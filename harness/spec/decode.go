package spec

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"infnet/harness/choice"
	"infnet/harness/dataset"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
)

// decoder fills the schema's structs from a TOML tree. It collects all mistakes instead of stopping
// at the first.
type decoder struct{ file *file }

func (d decoder) table(path string, tree map[string]any, dst reflect.Value) {
	fields := map[string]option{}
	var valid []string
	for o := range options(dst) {
		if only := o.tag.Get("only"); d.file.study || only == "" || only == "use" && !d.file.over {
			fields[o.key] = o
			valid = append(valid, o.key)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(tree)) {
		o, ok := fields[k]
		if !ok {
			d.unknown(place.Join(path, k), k, valid, dst.Type())
			continue
		}
		d.value(place.Join(path, k), tree[k], o.Value, o.tag)
	}
	for _, key := range valid {
		o := fields[key]
		if need := o.needed(); need != "" && tree[key] == nil && o.tag.Get("for") == "" {
			if meets, has := o.meets(dst); meets && has != nil {
				d.file.missing(path, key, need)
			}
		}
	}
	d.conditions(path, dst)
}

func (d decoder) unknown(path, key string, valid []string, t reflect.Type) {
	hint := place.Suggest(key, valid)
	message := "unknown key"
	if n := choice.Nearest(key, valid); n != "" {
		d.file.meant[place.Join(place.Parent(path), n)] = true
	}
	for o := range options(reflect.New(t).Elem()) {
		if o.key == key && o.tag.Get("only") != "" {
			message, hint = "this key has no place in a catalog", "write it in the study itself"
			if d.file.over {
				hint = "files of --use hold models, backends, datasets, split and slurm; " + hint
			}
		}
	}
	if t == reflect.TypeFor[rawBackend]() || t == reflect.TypeFor[Model]() {
		switch strings.ToLower(key) {
		case "api_key", "apikey", "api-key", "key", "token", "password", "secret", "authorization", "bearer":
			message = "a secret has no place in a spec: specs are shared, and kept with results"
			hint = "export it under a name, and write the name: api_key_env = \"MY_KEY\"; a key that was in a file should " +
				"be replaced"
		case "headers", "header":
			message = "headers are given by environment variables, since they may hold secrets"
			hint = "export each value, and write headers_env = { \"X-Team\" = \"MY_TEAM\" }"
		}
	}
	d.file.misplaced(path, message, hint)
}

// notOne reports a name outside a closed set, whose error lists the valid names after a colon.
func (d decoder) notOne(path, got string, err error) {
	message, list, listed := strings.Cut(err.Error(), ": want one of ")
	hint := ""
	if listed {
		hint = place.Suggest(got, strings.Split(list, ", "))
	}
	d.file.wrong(path, message, hint)
}

func (d decoder) mismatch(path, want string, v any) {
	got := fmt.Sprint(v)
	switch v.(type) {
	case string:
		got = "a string"
	case float64:
		got = "a decimal number"
	case map[string]any:
		got = "a table"
	case []any, []map[string]any:
		got = "an array"
	case time.Time:
		got = "a date or time"
	}
	d.file.wrong(path, fmt.Sprintf("want %s, got %s", want, got), "")
}

// value decodes any TOML value, by the tags of its option. A wrong one leaves a pointer nil and a value at its
// default, as if it were missing, so that no check reports it again.
func (d decoder) value(path string, v any, dst reflect.Value, tag reflect.StructTag) {
	if dst.Kind() == reflect.Pointer {
		before, to := len(d.file.problems), reflect.New(dst.Type().Elem())
		if to.Elem().Kind() == reflect.Struct {
			fill(to.Elem())
		}
		d.value(path, v, to.Elem(), tag)
		if len(d.file.problems) == before || to.Elem().Kind() == reflect.Struct && !isLeaf(to.Interface()) {
			dst.Set(to)
		}
		return
	}
	switch p := dst.Addr().Interface().(type) {
	case *policy.Target:
		d.target(path, v, p)
		return
	case *Correct:
		if _, ok := v.(map[string]any); !ok {
			f, _ := reflect.TypeFor[Correct]().FieldByName("Rules")
			d.value(path, v, reflect.ValueOf(&p.Rules).Elem(), f.Tag)
			return
		}
	case *Examples:
		if _, ok := v.(map[string]any); !ok {
			d.value(path, v, reflect.ValueOf(&p.Written).Elem(), `least:"1"`)
			return
		}
	case *writtenLabel:
		if s, ok := v.(string); ok {
			*p = writtenLabel{Class: s, Word: s}
			return
		}
	case *time.Duration:
		if s, ok := v.(string); !ok {
			d.mismatch(path, "a string", v)
		} else if t, err := time.ParseDuration(s); err != nil {
			d.file.wrong(path, fmt.Sprintf("%q is no duration above zero", s), "write 30s, 5m or 1h30m")
		} else {
			d.number(path, reflect.ValueOf(t), dst, tag)
		}
		return
	case encoding.TextUnmarshaler:
		if s, ok := v.(string); !ok {
			d.mismatch(path, "a string", v)
		} else if err := p.UnmarshalText([]byte(s)); err != nil {
			d.notOne(path, s, err)
		}
		return
	}
	switch dst.Kind() {
	case reflect.Struct:
		if tree, ok := v.(map[string]any); ok {
			d.table(path, tree, dst)
		} else {
			d.mismatch(path, "a table", v)
		}
	case reflect.Slice:
		d.slice(path, v, dst, tag)
	case reflect.Map:
		d.entries(path, v, dst)
	default:
		d.scalar(path, v, dst, tag)
	}
}

func (d decoder) slice(path string, v any, dst reflect.Value, tag reflect.StructTag) {
	list, each := reflect.ValueOf(v), reflect.StructTag(fmt.Sprintf("range:%q fix:%q one:%q", tag.Get("range"),
		tag.Get("fix"), tag.Get("one")))
	if list.Kind() == reflect.String && tag.Get("or") == "one" {
		one := reflect.New(dst.Type().Elem()).Elem()
		before := len(d.file.problems)
		if d.value(path, v, one, each); len(d.file.problems) == before {
			dst.Set(reflect.Append(dst, one))
		}
		return
	}
	if list.Kind() != reflect.Slice {
		want := "an array"
		if e := dst.Type().Elem(); e.Kind() == reflect.Struct && e != reflect.TypeFor[writtenLabel]() {
			want = "an array of tables"
		}
		d.mismatch(path, want, v)
		return
	}
	before, to := len(d.file.problems), reflect.MakeSlice(dst.Type(), list.Len(), list.Len())
	for i := range list.Len() {
		if to.Index(i).Kind() == reflect.Struct {
			fill(to.Index(i))
		}
		d.value(place.Element(path, i), list.Index(i).Interface(), to.Index(i), each)
	}
	if len(d.file.problems) == before || to.Type().Elem().Kind() == reflect.Struct {
		dst.Set(to)
	}
	d.members(path, to, tag)
}

// isLeaf reports a struct that a single value is decoded into.
func isLeaf(v any) bool {
	_, leaf := v.(*policy.Target)
	return leaf
}

// entries decodes a table whose keys the author chooses. Those of wrong values
// are left out.
func (d decoder) entries(path string, v any, dst reflect.Value) {
	tree, ok := v.(map[string]any)
	if !ok {
		d.mismatch(path, "a table", v)
		return
	}
	m := reflect.MakeMapWithSize(dst.Type(), len(tree))
	for _, k := range slices.Sorted(maps.Keys(tree)) {
		before, to := len(d.file.problems), reflect.New(dst.Type().Elem()).Elem()
		if at := place.Join(path, k); to.Kind() != reflect.Interface {
			d.value(at, tree[k], to, "")
		} else if _, err := json.Marshal(tree[k]); err != nil {
			d.file.wrong(at, "this cannot be sent as JSON",
				"want finite numbers, strings, true or false, arrays and tables of them")
		} else {
			to.Set(reflect.ValueOf(tree[k]))
		}
		if len(d.file.problems) == before || to.Kind() == reflect.Pointer && !to.IsNil() {
			m.SetMapIndex(reflect.ValueOf(k), to)
		}
	}
	dst.Set(m)
}

func (d decoder) scalar(path string, v any, dst reflect.Value, tag reflect.StructTag) {
	switch dst.Kind() {
	case reflect.String:
		if s, ok := v.(string); ok {
			d.text(path, s, dst, tag)
			return
		}
		d.mismatch(path, "a string", v)
	case reflect.Bool:
		if b, ok := v.(bool); ok {
			dst.SetBool(b)
			return
		}
		d.mismatch(path, "true or false", v)
	case reflect.Int, reflect.Int64:
		if _, ok := v.(int64); ok {
			d.number(path, reflect.ValueOf(v), dst, tag)
		} else {
			d.mismatch(path, "a whole number", v)
		}
	case reflect.Float64:
		switch n := v.(type) {
		case float64:
			if math.IsNaN(n) || math.IsInf(n, 0) {
				d.file.wrong(path, fmt.Sprintf("want a finite number, got %v", n), "")
				return
			}
			d.number(path, reflect.ValueOf(n), dst, tag)
		case int64:
			d.number(path, reflect.ValueOf(n), dst, tag)
		default:
			d.mismatch(path, "a number", v)
		}
	default:
		panic(fmt.Sprintf("spec: the schema has a field of kind %s at %s", dst.Kind(), path))
	}
}

// text takes a text that is what its option may be. A wrong name is taken all the same: others may refer to it.
func (d decoder) text(path, s string, dst reflect.Value, tag reflect.StructTag) {
	if one := tag.Get("one"); one != "" {
		what, _, _ := strings.Cut(path[strings.LastIndex(path, ".")+1:], "[")
		if err := choice.Decode(&s, []byte(s), strings.ReplaceAll(what, "_", " "), strings.Split(one, ", ")); err != nil {
			d.notOne(path, s, err)
			return
		}
	} else if fault := NameFault(s); fault != "" && tag.Get("range") == "a name" {
		d.file.wrong(path, fmt.Sprintf("the name %q %s", s, fault), legalName)
	} else if strings.HasPrefix(tag.Get("range"), "a column") {
		if err := dataset.CheckPath(s); err != nil {
			d.file.wrong(path, err.Error(), "")
		}
	} else if s == "" && tag.Get("least") != "" {
		d.file.wrong(path, "the text is empty", "leave the key out")
	}
	dst.SetString(s)
}

// legalName is what to do about a wrong name.
const legalName = "letters, digits and . _ + - , a letter or digit first; names become files"

// number takes a number, or a duration, that is within the range of its option.
func (d decoder) number(path string, v, dst reflect.Value, tag reflect.StructTag) {
	v = v.Convert(dst.Type())
	if message := fault(tag, v); message != "" {
		d.file.wrong(path, message, tag.Get("fix"))
		return
	}
	dst.Set(v)
}

// members reports an empty list where one entry is needed, and what a list of names has twice.
func (d decoder) members(path string, list reflect.Value, tag reflect.StructTag) {
	if tag.Get("least") != "" && list.Len() == 0 {
		d.file.wrong(path, "the list is empty", cmp.Or(tag.Get("fix"), "name one or more, or leave it out"))
	}
	elem := list.Type().Elem()
	_, names := reflect.New(elem).Interface().(encoding.TextUnmarshaler)
	numbers := slices.Contains([]reflect.Kind{reflect.Float64, reflect.Int, reflect.Int64, reflect.Slice}, elem.Kind())
	if !names && !numbers && tag.Get("one") == "" && elem != reflect.TypeFor[policy.Target]() {
		return
	}
	seen := map[string]int{}
	for i := range list.Len() {
		key := fmt.Sprintf("%q", list.Index(i))
		if t, ok := list.Index(i).Interface().(policy.Target); ok {
			key = t.String()
			if xi, number := t.Numeric(); number {
				key = xi.RatString()
			}
		}
		if j, again := seen[key]; again && !list.Index(i).IsZero() {
			d.file.wrong(place.Element(path, i), "the same as "+place.Element(path, j), "name it once")
		} else if !again {
			seen[key] = i
		}
	}
}

// target decodes a budget. A number is taken as it was written, digit by
// digit, because the budget's arithmetic is exact.
func (d decoder) target(path string, v any, dst *policy.Target) {
	const want = "master, student, best, min, or a number from 0 to 1"
	var text string
	switch n := v.(type) {
	case string:
		text = n
	case int64:
		text = strconv.FormatInt(n, 10)
	case float64:
		text = strings.ReplaceAll(d.file.text.Number(path), "_", "")
		if text == "" || strings.ContainsAny(text, "eE") {
			text = strconv.FormatFloat(n, 'f', -1, 64)
		}
	default:
		d.mismatch(path, want, v)
		return
	}
	t, err := parseTarget(text)
	if err != nil {
		d.file.wrong(path, err.Error(), "")
		return
	}
	*dst = t
}

// parseTarget is policy.ParseTarget for untrusted text: it refuses exponents, which could make a
// number of any size.
func parseTarget(text string) (policy.Target, error) {
	if strings.ContainsAny(text, "0123456789") && strings.Trim(text, "+-.0123456789") != "" || len(text) > 400 {
		return policy.Target{}, fmt.Errorf("unknown target %q: want master, student, best, min or a plain decimal such "+
			"as 0.95", text[:min(len(text), 40)])
	}
	return policy.ParseTarget(text)
}
