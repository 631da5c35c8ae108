package spec

import (
	"cmp"
	"encoding"
	"fmt"
	"iter"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"infnet/harness/policy"
	"infnet/harness/spec/place"
)

// An option is one field of one struct: of its tags and its comment come the key, the default, the range, the
// condition, the reference and the flag of a command. A field of a plain type has its default where the key is missing
// or wrong; whether the key is written, place.Text knows.
//
//	toml     the key
//	default  the value of a missing key
//	range    valid values with their unit. Of numbers and durations the parts "A to B", "A or more", "more than A",
//	         "less than B" and "up to B" are checked; other text is for the reference. Closed sets list theirs
//	usual    what a missing key means, where that is no value of the field: for the reference
//	need     the key must be there, where it means something, and what to write; "names" = one of its closed set
//	one      a closed set of texts
//	help     what the key does, where it is a flag too; else the field's comment says it
//	fix      what to do about a value outside the range
//	when     "KEY=VALUE|VALUE": the key means something only where another one of its table has such a value, or one of
//	         its list does. Elsewhere it is a mistake, and the field is zero
//	least    "1": the list or text must not be empty
//	only     "study" where the key has no place in a catalog; "use" where it has one in those that the study itself
//	         names: a table's keys that the study does not write are theirs
//	for      the kinds of backends whose tables and models have the key, where not all do; of an embedded struct: of
//	         all its keys
//	stray    what to do in place of leaving the key out, where it means nothing
//	or       "one": a list, of which a single value stands for a list of it

type option struct {
	reflect.Value
	key string
	tag reflect.StructTag
}

// options are the options of a struct, with those of the structs that it embeds.
func options(table reflect.Value) iter.Seq[option] {
	return func(yield func(option) bool) {
		for i := range table.NumField() {
			f := table.Type().Field(i)
			if f.Anonymous || f.Tag.Get("toml") == ",inline" {
				for o := range options(table.Field(i)) {
					o.tag += " " + f.Tag
					if !yield(o) {
						return
					}
				}
			} else if key := f.Tag.Get("toml"); key != "" && !yield(option{table.Field(i), key, f.Tag}) {
				return
			}
		}
	}
}

func find(table reflect.Value, key string) (found option) {
	for o := range options(table) {
		if o.key == key {
			return o
		}
	}
	return found
}

// needed is what to write where the key is missing; "" = it need not be there.
func (o option) needed() string {
	if need := o.tag.Get("need"); need != "names" {
		return need
	}
	return "want one of " + o.names()
}

func (o option) usual() bool {
	v := option{Value: reflect.New(o.Type()).Elem(), tag: o.tag}
	v.reset()
	return reflect.DeepEqual(v.Interface(), o.Interface())
}

func (o option) reset() {
	if text := o.tag.Get("default"); o.Kind() == reflect.String && o.tag.Get("one") != "" {
		o.SetString(text)
	} else {
		literal(o.Value, text)
	}
}

// names are those of a closed set, with commas between; "" = the option is none.
func (o option) names() string {
	t := o.Type()
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	list := o.tag.Get("one")
	if u, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler); ok && list == "" {
		_, list, _ = strings.Cut(u.UnmarshalText(nil).Error(), ": want one of ")
	}
	return list
}

func fill(table reflect.Value) {
	for o := range options(table) {
		switch {
		case o.Kind() == reflect.Struct && !isLeaf(o.Addr().Interface()):
			fill(o.Value)
		case o.Kind() != reflect.Pointer:
			o.reset()
		}
	}
}

// literal sets a value to what a literal of its type says; other texts leave it as it is.
func literal(v reflect.Value, text string) {
	switch p := v.Addr().Interface().(type) {
	case *policy.Target:
		if t, err := parseTarget(text); err == nil {
			*p = t
		}
		return
	case *time.Duration:
		*p, _ = time.ParseDuration(text)
		return
	case encoding.TextUnmarshaler:
		_ = p.UnmarshalText([]byte(text))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int64:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			v.SetInt(n)
		}
	case reflect.Float64:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			v.SetFloat(x)
		}
	}
}

var parts = []struct {
	form    *regexp.Regexp
	outside func(x, a, b float64) bool
}{
	{regexp.MustCompile(`^(\S+) to (\S+)`), func(x, a, b float64) bool { return x < a || x > b }},
	{regexp.MustCompile(`^(\S+) or more`), func(x, a, _ float64) bool { return x < a }},
	{regexp.MustCompile(`^more than (\S+)`), func(x, a, _ float64) bool { return x <= a }},
	{regexp.MustCompile(`^less than (\S+)`), func(x, a, _ float64) bool { return x >= a }},
	{regexp.MustCompile(`^up to (\S+)`), func(x, a, _ float64) bool { return x > a }},
}

func outside(x float64, within string) bool {
	for part := range strings.SplitSeq(within, ", ") {
		for _, p := range parts {
			m := p.form.FindStringSubmatch(part)
			if m == nil {
				continue
			}
			var ends [2]float64
			var err error
			for i, end := range m[1:] {
				if d, no := time.ParseDuration(end); no == nil && end != "0" {
					ends[i] = float64(d)
				} else if ends[i], err = strconv.ParseFloat(end, 64); err != nil {
					break
				}
			}
			if err == nil && p.outside(x, ends[0], ends[1]) {
				return true
			}
		}
	}
	return false
}

// fault says what is wrong with a value that an option has; "" = nothing.
func fault(tag reflect.StructTag, v reflect.Value) string {
	within := tag.Get("range")
	var x float64
	var written any = v.Interface()
	switch {
	case v.Kind() == reflect.Float64:
		if x = v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("want a finite number, got %v", written)
		} else if x == 0 && math.Signbit(x) {
			x = math.Copysign(math.SmallestNonzeroFloat64, -1)
		}
	case v.Kind() == reflect.Int, v.Kind() == reflect.Int64:
		x = float64(v.Int())
	default:
		return ""
	}
	if d, ok := v.Interface().(time.Duration); ok && d <= 0 {
		return fmt.Sprintf("%v is no duration above zero", written)
	}
	if outside(x, within) {
		return fmt.Sprintf("want %s, got %v", within, written)
	}
	return ""
}

// CheckFlags checks options that were given as flags: a pointer to their struct. What means nothing beside the others
// is an error where it is not the default.
func CheckFlags(flags any) error {
	table := reflect.ValueOf(flags).Elem()
	for o := range options(table) {
		if message := fault(o.tag, o.Value); message != "" && !o.usual() {
			return fmt.Errorf("--%s: %s", strings.ReplaceAll(o.key, "_", "-"), message)
		}
		if message, hint := idle(o, table); message != "" {
			if !o.usual() {
				return fmt.Errorf("--%s: %s; %s", o.key, message, hint)
			}
			o.SetZero()
		}
	}
	return nil
}

// meets reports whether the condition of an option holds beside the others, and what the key that decides has; nil = it
// is required, and missing.
func (o option) meets(table reflect.Value) (meets bool, has []string) {
	other, values, ok := strings.Cut(o.tag.Get("when"), "=")
	wanted := strings.Split(values, "|")
	if !ok {
		return true, wanted
	}
	switch decides := find(table, other); {
	case decides.Kind() != reflect.Slice:
		has = append(has, fmt.Sprint(reflect.Indirect(decides.Value)))
	case decides.Len() == 0 && slices.Contains(wanted, decides.tag.Get("usual")):
		return true, wanted
	case decides.Len() == 0:
		has = append(has, "not set")
	default:
		for i := range decides.Len() {
			has = append(has, fmt.Sprint(decides.Index(i)))
		}
	}
	if len(has) == 1 && has[0] == "" {
		return true, nil
	}
	return slices.ContainsFunc(has, func(s string) bool { return slices.Contains(wanted, s) }), has
}

// idle says why an option means nothing beside the others; "" = it means something.
func idle(o option, table reflect.Value) (message, hint string) {
	meets, has := o.meets(table)
	if meets {
		return "", ""
	}
	other, values, _ := strings.Cut(o.tag.Get("when"), "=")
	wanted := strings.Split(values, "|")
	return fmt.Sprintf(`this is for %s = "%s", and %[1]s is "%[3]s"`, other, strings.Join(wanted, `" or "`),
			strings.Join(has, `", "`)),
		"leave it out, or " + cmp.Or(o.tag.Get("stray"), fmt.Sprintf("set %s = %q", other, wanted[0]))
}

// conditions reports options that are written where they mean nothing, and clears them.
func (d decoder) conditions(path string, table reflect.Value) {
	for o := range options(table) {
		if message, hint := idle(o, table); message != "" {
			usual := o.usual()
			o.SetZero()
			other, _, _ := strings.Cut(o.tag.Get("when"), "=")
			if at := place.Join(path, o.key); !usual && !d.file.bad[place.Join(path, other)] {
				d.file.wrong(at, message, hint)
			}
		}
	}
}
