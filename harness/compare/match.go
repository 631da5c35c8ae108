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

	added, removed  []string // ids
	changed         []string // ids of both, with other fields, references or class
	renamed         []string // old id → new id
	class           []int    // by old label: the new one; −1 = gone
	unsure          bool     // the contents are not known of both, or rest on other fields: ids decide alone
	moved           bool     // records are the same, in another order
	hashed, checked bool     // the datasets' hashes are equal; the contents were compared
}

// pair finds the records of the new dataset in the old one: by id and content; then by content alone, where it is not
// found under its id, which then has another name. A record of the same id and other content is another record.
func pair(old, now *accept.Data, sameFields bool) *match {
	m := &match{old: old, now: now, of: slices.Repeat([]int{-1}, len(now.IDs)), hashed: old.Hash == now.Hash}
	m.checked = old.Content != nil && now.Content != nil && sameFields
	m.unsure = !m.checked && !m.hashed
	taken := make([]bool, len(old.IDs))
	at := make(map[string]int, len(old.IDs))
	for i, id := range old.IDs {
		at[id] = i
	}
	for i, id := range now.IDs {
		if k, ok := at[id]; ok && (!m.checked || old.Content[k] == now.Content[i]) {
			m.of[i], taken[k] = k, true
		}
	}
	if m.checked {
		m.rename(taken)
	}
	m.classify(taken)
	m.list(at, taken)
	last := -1
	for _, k := range m.of {
		if k >= 0 {
			m.moved = m.moved || k < last
			last = k
		}
	}
	return m
}

// rename finds records under another id, in order where several have the same content.
func (m *match) rename(taken []bool) {
	left := map[uint32][]int{}
	for k, is := range taken {
		if !is {
			left[m.old.Content[k]] = append(left[m.old.Content[k]], k)
		}
	}
	for i := range m.of {
		if m.of[i] >= 0 {
			continue
		}
		if list := left[m.now.Content[i]]; len(list) > 0 {
			m.of[i], taken[list[0]] = list[0], true
			left[m.now.Content[i]] = list[1:]
		}
	}
}

// classify takes records of another class for other records. A class whose name is gone is the one of a new name that
// its first record has now.
func (m *match) classify(taken []bool) {
	m.class = make([]int, len(m.old.Labels))
	for a, name := range m.old.Labels {
		m.class[a] = slices.Index(m.now.Labels, name)
	}
	if m.old.Class == nil || m.now.Class == nil {
		return
	}
	for i, k := range m.of {
		if k < 0 || m.old.Class[k] < 0 && m.now.Class[i] < 0 {
			continue
		}
		if a, b := m.old.Class[k], m.now.Class[i]; a >= 0 && b >= 0 && m.class[a] < 0 && !slices.Contains(m.class, b) {
			m.class[a] = b
		}
		if m.old.Class[k] < 0 || m.class[m.old.Class[k]] != m.now.Class[i] {
			m.of[i], taken[k] = -1, false
		}
	}
}

// list names the records that are not the same.
func (m *match) list(at map[string]int, taken []bool) {
	now := make(map[string]bool, len(m.now.IDs))
	for _, id := range m.now.IDs {
		now[id] = true
	}
	for i, k := range m.of {
		id := m.now.IDs[i]
		other, there := at[id]
		switch {
		case k >= 0 && m.old.IDs[k] != id:
			m.renamed = append(m.renamed, m.old.IDs[k]+" → "+id)
		case k >= 0:
		case there && !taken[other]:
			m.changed = append(m.changed, id)
		default:
			m.added = append(m.added, id)
		}
	}
	for k, is := range taken {
		if !is && !(now[m.old.IDs[k]] && slices.Contains(m.changed, m.old.IDs[k])) {
			m.removed = append(m.removed, m.old.IDs[k])
		}
	}
}

// each goes through the records of both datasets: the place of the old one, and of the new one.
func (m *match) each(of func(k, i int)) {
	for i, k := range m.of {
		if k >= 0 {
			of(k, i)
		}
	}
}

// words says what differs.
func (m *match) words() string {
	var parts []string
	say := func(list []string, one, many string) {
		if len(list) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", Plural(len(list), one, many), some(list)))
		}
	}
	say(m.changed, "record has other content", "records have other content")
	say(m.added, "record is new", "records are new")
	say(m.removed, "record is gone", "records are gone")
	say(m.renamed, "record has another id", "records have another id")
	switch {
	case len(parts) > 0:
	case m.moved:
		parts = append(parts, "the same records in another order")
	case !slices.Equal(m.old.Labels, m.now.Labels):
		parts = append(parts, "the same records, with the classes in another order")
	case m.unsure:
		parts = append(parts, "the same ids, and contents that cannot be compared record by record")
	default:
		parts = append(parts, "the same records, grouped otherwise or with other fields that no prompt shows")
	}
	return strings.Join(parts, ", ")
}

// some lists the first few.
func some(list []string) string {
	const few = 3
	if len(list) > few {
		return strings.Join(list[:few], ", ") + ", …"
	}
	return strings.Join(list, ", ")
}
