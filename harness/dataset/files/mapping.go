package files

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset"
)

// mapper turns rows into examples.
type mapper struct {
	fields []field      // by ascending name; empty = every plain column
	roles  [roles]*path // nil = no column has the role
	labels labels

	choices *choices // nil = the rows are no multiple choices
}

type field struct {
	name string
	path path
	json bool // the value as JSON
}

// What a column can be, besides a field and an option.
const (
	idRole = iota
	classRole
	refsRole
	groupRole
	partRole
	domainRole
	roles
)

// roleKeys are the settings of a dataset that name the columns.
var roleKeys = [roles]string{"id", "label", "reference", "group", "split.column", "transfer.by"}

// compile reads the paths of a mapping.
func compile(o Options) (mapper, error) {
	m, w := mapper{labels: newLabels(o.Labels)}, o.Mapping
	for _, name := range slices.Sorted(maps.Keys(w.Fields)) {
		column, asJSON := strings.CutPrefix(w.Fields[name], dataset.AsJSON)
		p, err := parsePath(column)
		if err != nil {
			return m, fmt.Errorf("field %q: %w", name, err)
		}
		m.fields = append(m.fields, field{name, p, asJSON})
	}
	for role, text := range [roles]string{w.ID, w.Class, w.References, w.Group, w.Part, w.Domain} {
		if text == "" {
			continue
		}
		p, err := parsePath(text)
		if err != nil {
			return m, fmt.Errorf("%s: %w", roleKeys[role], err)
		}
		m.roles[role] = &p
	}
	if len(w.Options) > 0 {
		m.choices = &choices{rank: o.OptionRank}
	}
	for _, text := range w.Options {
		p, err := parsePath(text)
		if err != nil {
			return m, fmt.Errorf("options: %w", err)
		}
		m.choices.columns = append(m.choices.columns, p)
	}
	return m, nil
}

// checkColumns finds a column that the source does not have. have is nil where the source does not list its columns
// first.
func (m mapper) checkColumns(have []string) error {
	if have == nil {
		return nil
	}
	check := func(key string, p path) error {
		if slices.Contains(have, p.text) || slices.Contains(have, p.steps[0].Key) {
			return nil
		}
		return &dataset.SettingError{Key: key, Fix: suggest(p.steps[0].Key, have),
			Err: fmt.Errorf("no column %q", p.steps[0].Key)}
	}
	for role, p := range m.roles {
		if p == nil {
			continue
		}
		if err := check(roleKeys[role], *p); err != nil {
			return err
		}
	}
	if m.choices != nil {
		for _, p := range m.choices.columns {
			if err := check("options", p); err != nil {
				return err
			}
		}
	}
	for _, f := range m.fields {
		if err := check("fields."+f.name, f.path); err != nil {
			return fmt.Errorf("field %q: %w", f.name, err)
		}
	}
	return nil
}

// names are those of the fields.
func (m mapper) names() []string {
	var out []string
	for _, f := range m.fields {
		out = append(out, f.name)
	}
	if m.choices != nil {
		out = append(out, OptionsField)
		slices.Sort(out)
	}
	return out
}

// example maps one row.
func (m mapper) example(r Row) (dataset.Example, *fieldError) {
	e := dataset.Example{ID: strconv.Itoa(r.Number), Row: r.Number, Class: -1}
	var fault *fieldError
	if e.Fields, fault = m.fieldsOf(r); fault != nil {
		return e, fault
	}
	if fault = m.need(idRole, r, &e.ID); fault != nil {
		return e, fault
	}
	if m.choices != nil {
		fault = m.choices.of(m, r, &e)
	} else if fault = m.class(r, &e); fault == nil && m.roles[refsRole] != nil {
		e.References, fault = m.references(r)
		fault = fault.of(roleKeys[refsRole])
	}
	if fault != nil {
		return e, fault
	}
	if p := m.roles[groupRole]; p != nil {
		v, fault := p.get(r)
		if fault == nil && v != nil {
			e.Group, fault = text(*p, v)
		}
		if fault != nil {
			return e, fault.of(roleKeys[groupRole])
		}
	}
	if fault = m.need(partRole, r, &e.Part); fault != nil {
		return e, fault
	}
	return e, m.need(domainRole, r, &e.Domain)
}

// class maps the class.
func (m mapper) class(r Row, e *dataset.Example) *fieldError {
	var said string
	fault := m.need(classRole, r, &said)
	if p := m.roles[classRole]; p != nil && fault == nil {
		var ok bool
		if e.Class, ok = m.labels.index(said); !ok {
			return &fieldError{column: p.text, reason: fmt.Sprintf("%q is none of the labels", clip(said)),
				fix: m.labels.valid(said), key: "labels"}
		}
	}
	return fault
}

// fieldsOf maps what prompts may name.
func (m mapper) fieldsOf(r Row) (map[string]string, *fieldError) {
	if len(m.fields) == 0 {
		return everyField(r)
	}
	out := make(map[string]string, len(m.fields))
	for _, f := range m.fields {
		v, fault := f.path.get(r)
		if fault != nil {
			return nil, fault.of("fields." + f.name)
		}
		if f.json {
			b, err := json.Marshal(v)
			if err != nil {
				return nil, f.path.fault("has no JSON: %v", err).of("fields." + f.name)
			}
			v = string(b)
		}
		if out[f.name], fault = text(f.path, v); fault != nil {
			return nil, fault.of("fields." + f.name)
		}
	}
	return out, nil
}

// everyField takes each column that is plain text, a number or a truth value.
func everyField(r Row) (map[string]string, *fieldError) {
	out := make(map[string]string, len(r.Values))
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		switch r.Values[name].(type) {
		case nil, []any, map[string]any, unread:
			continue
		}
		s, fault := text(path{text: name}, r.Values[name])
		if fault != nil {
			return nil, fault
		}
		if bad := dataset.TextFault(name); bad != "" {
			return nil, &fieldError{reason: fmt.Sprintf("the name of column %q %s", name, bad)}
		}
		out[name] = s
	}
	return out, nil
}

// need maps a text that must not be empty, where a column has this role.
func (m mapper) need(role int, r Row, into *string) *fieldError {
	p := m.roles[role]
	if p == nil {
		return nil
	}
	v, fault := p.get(r)
	if fault == nil {
		*into, fault = text(*p, v)
	}
	if fault == nil && strings.TrimSpace(*into) == "" {
		fault = p.fault("is empty")
	}
	return fault.of(roleKeys[role])
}

// references maps a text or a list of texts. A lone empty text is no
// reference; within a list it is one (a question without an answer).
func (m mapper) references(r Row) ([]string, *fieldError) {
	refs := m.roles[refsRole]
	v, fault := refs.get(r)
	if fault != nil {
		return nil, fault
	}
	list, ok := v.([]any)
	if !ok {
		one := make([]string, 1)
		return one, m.need(refsRole, r, &one[0])
	}
	if len(list) == 0 {
		return nil, refs.fault("is an empty list: there is nothing to grade an answer by")
	}
	out := make([]string, len(list))
	for i, x := range list {
		if out[i], fault = text(*refs, x); fault != nil {
			return nil, refs.fault("element %d %s", i, fault.reason)
		}
	}
	return out, nil
}

// text is v as text. Numbers keep their spelling where the source has one.
func text(p path, v any) (string, *fieldError) {
	var s string
	switch v := v.(type) {
	case nil:
		return "", p.fault("is null")
	case string:
		s = v
	case bool:
		s = strconv.FormatBool(v)
	case json.Number:
		s = v.String()
	case int64:
		s = strconv.FormatInt(v, 10)
	case uint64:
		s = strconv.FormatUint(v, 10)
	case float32:
		s = strconv.FormatFloat(float64(v), 'g', -1, 32)
	case float64:
		s = strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		return "", &fieldError{column: p.text, reason: fmt.Sprintf("is a list of %d where a text is wanted", len(v)),
			fix: fmt.Sprintf("name one element, as in %q", p.text+"[0]")}
	case map[string]any:
		return "", &fieldError{column: p.text, reason: "is an object where a text is wanted",
			fix: fmt.Sprintf("name a key of it, as in %q: it has %s", p.text+".key", quoted(slices.Sorted(maps.Keys(v))))}
	default:
		return "", &fieldError{column: p.text, reason: fmt.Sprintf("is %s where a text is wanted", kindOf(v)),
			fix: "write the column as text or numbers"}
	}
	if bad := dataset.TextFault(s); bad != "" {
		return "", p.fault("%s", bad)
	}
	return s, nil
}

// clip shortens text for an error.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
