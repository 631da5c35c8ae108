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
	fields []field // by ascending name; empty = every plain column
	id     *path
	class  *path
	refs   *path
	group  *path
	part   *path
	domain *path
	labels labels

	choices *choices // nil = the rows are no multiple choices
}

type field struct {
	name string
	path path
	json bool // the value as JSON
}

// compile reads the paths of a mapping.
func compile(o Options) (mapper, error) {
	var m mapper
	for _, name := range slices.Sorted(maps.Keys(o.Mapping.Fields)) {
		column, asJSON := strings.CutPrefix(o.Mapping.Fields[name], dataset.AsJSON)
		p, err := parsePath(column)
		if err != nil {
			return m, fmt.Errorf("field %q: %w", name, err)
		}
		m.fields = append(m.fields, field{name, p, asJSON})
	}
	for _, c := range []struct {
		what, text string
		to         **path
	}{{"id", o.Mapping.ID, &m.id}, {"class", o.Mapping.Class, &m.class}, {"references", o.Mapping.References,
		&m.refs}, {"group", o.Mapping.Group, &m.group}, {"split", o.Mapping.Part,
		&m.part}, {"domain", o.Mapping.Domain, &m.domain}} {
		if c.text == "" {
			continue
		}
		p, err := parsePath(c.text)
		if err != nil {
			return m, fmt.Errorf("%s: %w", c.what, err)
		}
		*c.to = &p
	}
	m.labels = newLabels(o.Labels)
	if len(o.Mapping.Options) > 0 {
		m.choices = &choices{rank: o.OptionRank}
	}
	for _, text := range o.Mapping.Options {
		p, err := parsePath(text)
		if err != nil {
			return m, fmt.Errorf("options: %w", err)
		}
		m.choices.columns = append(m.choices.columns, p)
	}
	return m, nil
}

// checkColumns finds a column that the source does not have. have is nil where the
// source does not list its columns first. by is the separator of the header's
// cells, 0 where there is none.
func (m mapper) checkColumns(have []string, by rune) error {
	if have == nil {
		return nil
	}
	exists := make(map[string]bool, len(have))
	for _, h := range have {
		exists[h] = true
	}
	check := func(key string, p *path) error {
		if p == nil || exists[p.text] || exists[p.steps[0].Key] {
			return nil
		}
		header := strings.Join(have, string(by))
		if sep := otherSeparator(header, by); sep != 0 && by != 0 {
			return parted(header, sep, by)
		}
		return &dataset.SettingError{Key: key, Fix: suggest(p.steps[0].Key, have),
			Err: fmt.Errorf("no column %q", p.steps[0].Key)}
	}
	for _, c := range []struct {
		key string
		p   *path
	}{{"id", m.id}, {"label", m.class}, {"reference", m.refs}, {"group", m.group}, {"split.column", m.part},
		{"transfer.by", m.domain}} {
		if err := check(c.key, c.p); err != nil {
			return err
		}
	}
	if m.choices != nil {
		for i := range m.choices.columns {
			if err := check("options", &m.choices.columns[i]); err != nil {
				return err
			}
		}
	}
	for i := range m.fields {
		if err := check("fields."+m.fields[i].name, &m.fields[i].path); err != nil {
			return fmt.Errorf("field %q: %w", m.fields[i].name, err)
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
func (m mapper) example(r row) (dataset.Example, *fieldError) {
	e := dataset.Example{ID: strconv.Itoa(r.n), Row: r.n, Class: -1}
	var fault *fieldError
	if e.Fields, fault = m.fieldsOf(r); fault != nil {
		return e, fault
	}
	if m.id != nil {
		if e.ID, fault = m.need(*m.id, r); fault != nil {
			return e, fault.of("id")
		}
	}
	if m.choices != nil {
		if fault = m.choices.of(m, r, &e); fault != nil {
			return e, fault
		}
	}
	if m.class != nil && m.choices == nil {
		v, fault := m.need(*m.class, r)
		if fault != nil {
			return e, fault.of("label")
		}
		var ok bool
		if e.Class, ok = m.labels.index(v); !ok {
			return e, &fieldError{column: m.class.text, reason: fmt.Sprintf("%q is none of the labels", clip(v)),
				fix: m.labels.valid(v), key: "labels"}
		}
	}
	if m.refs != nil && m.choices == nil {
		if e.References, fault = m.references(r); fault != nil {
			return e, fault.of("reference")
		}
	}
	if m.group != nil {
		v, fault := m.group.get(r)
		if fault != nil {
			return e, fault.of("group")
		}
		if v != nil {
			if e.Group, fault = text(*m.group, v); fault != nil {
				return e, fault.of("group")
			}
		}
	}
	if m.part != nil {
		if e.Part, fault = m.need(*m.part, r); fault != nil {
			return e, fault.of("split.column")
		}
	}
	if m.domain != nil {
		if e.Domain, fault = m.need(*m.domain, r); fault != nil {
			return e, fault.of("transfer.by")
		}
	}
	return e, nil
}

// fieldsOf maps what prompts may name.
func (m mapper) fieldsOf(r row) (map[string]string, *fieldError) {
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
func everyField(r row) (map[string]string, *fieldError) {
	out := make(map[string]string, len(r.values))
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		switch r.values[name].(type) {
		case nil, []any, map[string]any:
			continue
		}
		s, fault := text(path{text: name}, r.values[name])
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

// need is a text that must not be empty: an id, a class.
func (m mapper) need(p path, r row) (string, *fieldError) {
	v, fault := p.get(r)
	if fault != nil {
		return "", fault
	}
	s, fault := text(p, v)
	if fault == nil && strings.TrimSpace(s) == "" {
		fault = p.fault("is empty")
	}
	return s, fault
}

// references maps a text or a list of texts. A lone empty text is no
// reference; within a list it is one (a question without an answer).
func (m mapper) references(r row) ([]string, *fieldError) {
	v, fault := m.refs.get(r)
	if fault != nil {
		return nil, fault
	}
	list, ok := v.([]any)
	if !ok {
		s, fault := m.need(*m.refs, r)
		if fault != nil {
			return nil, fault
		}
		return []string{s}, nil
	}
	if len(list) == 0 {
		return nil, m.refs.fault("is an empty list: there is nothing to grade an answer by")
	}
	out := make([]string, len(list))
	for i, x := range list {
		if out[i], fault = text(*m.refs, x); fault != nil {
			return nil, m.refs.fault("element %d %s", i, fault.reason)
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
		return "", p.fault("is %s where a text is wanted", kindOf(v))
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
