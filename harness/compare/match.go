package compare

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/accept"
)

// match says which records of two versions of a dataset are the same.
type match struct {
	old, now *accept.Data
	of       []int // by new record: the old one that it is; −1 = none
	class    []int // by old label: the new one; −1 = gone
	hashed   bool  // the datasets' hashes are equal
	unsure   bool  // the contents are not known of both, or rest on other fields: ids decide alone
}

// pair finds the records of the new dataset in the old one: by id and content; then by content alone, where it is not
// found under its id, which then has another name. A record of the same id and other content is another record.
func pair(old, now *accept.Data, sameFields bool) *match {
	m := &match{old: old, now: now, of: slices.Repeat([]int{-1}, len(now.IDs)), hashed: old.Hash == now.Hash}
	checked := old.Content != nil && now.Content != nil && sameFields
	m.unsure = !checked && !m.hashed
	at := places(old.IDs)
	for i, id := range now.IDs {
		if k, ok := at[id]; ok && (!checked || old.Content[k] == now.Content[i]) {
			m.of[i] = k
		}
	}
	if checked {
		left := map[uint32][]int{} // under another id, in order where several have the same content
		for k, i := range m.found() {
			if i < 0 {
				left[old.Content[k]] = append(left[old.Content[k]], k)
			}
		}
		for i, k := range m.of {
			if list := left[now.Content[i]]; k < 0 && len(list) > 0 {
				m.of[i], left[now.Content[i]] = list[0], list[1:]
			}
		}
	}
	m.classify()
	return m
}

// places are where values come in a list.
func places[T comparable](list []T) map[T]int {
	at := make(map[T]int, len(list))
	for i, x := range list {
		at[x] = i
	}
	return at
}

// found is by old record the new one that it is; −1 = none.
func (m *match) found() []int {
	back := slices.Repeat([]int{-1}, len(m.old.IDs))
	m.each(func(k, i int) { back[k] = i })
	return back
}

// each goes through the records of both datasets: the place of the old one, and of the new one.
func (m *match) each(of func(k, i int)) {
	for i, k := range m.of {
		if k >= 0 {
			of(k, i)
		}
	}
}

// classify takes records of another class for other records. A class whose name is gone is the one of a new name that
// its first record has now.
func (m *match) classify() {
	for _, name := range m.old.Labels {
		m.class = append(m.class, slices.Index(m.now.Labels, name))
	}
	if m.old.Class == nil || m.now.Class == nil {
		return
	}
	m.each(func(k, i int) {
		a, b := m.old.Class[k], m.now.Class[i]
		if a >= 0 && b >= 0 && m.class[a] < 0 && !slices.Contains(m.class, b) {
			m.class[a] = b
		}
		if a < 0 && b >= 0 || a >= 0 && m.class[a] != b {
			m.of[i] = -1
		}
	})
}

// words say what differs, and of how many records.
func (m *match) words() (text string, records int) {
	var changed, added, removed, renamed []string
	at, is, found := places(m.old.IDs), places(m.now.IDs), m.found()
	moved, last := false, -1
	for i, k := range m.of {
		id := m.now.IDs[i]
		other, there := at[id]
		switch {
		case k >= 0:
			moved, last = moved || k < last, k
			if m.old.IDs[k] != id {
				renamed = append(renamed, m.old.IDs[k]+" → "+id)
			}
		case there && found[other] < 0:
			changed = append(changed, id)
		default:
			added = append(added, id)
		}
	}
	for k, i := range found {
		if at, there := is[m.old.IDs[k]]; i < 0 && !(there && m.of[at] < 0) {
			removed = append(removed, m.old.IDs[k])
		}
	}
	var parts []string
	for _, of := range []struct {
		list      []string
		one, many string
	}{{changed, "record has other content", "records have other content"}, {added, "record is new", "records are new"},
		{removed, "record is gone", "records are gone"}, {renamed, "record has another id", "records have another id"}} {
		if n := len(of.list); n > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", Plural(n, of.one, of.many), some(of.list)))
			records += n
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", "), records
	case moved:
		return "the same records in another order", 0
	case !slices.Equal(m.old.Labels, m.now.Labels):
		return "the same records, with the classes in another order", 0
	case m.unsure:
		return "the same ids, and contents that cannot be compared record by record", 0
	}
	return "the same records, grouped otherwise or with other fields that no prompt shows", 0
}

// some lists the first few.
func some(list []string) string {
	const few = 3
	if len(list) > few {
		return strings.Join(list[:few], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}
