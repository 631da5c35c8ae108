package files

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"infnet/harness/choice"
	"infnet/harness/dataset"
)

// labels finds a class by its spelling in the data: its class, else its word, else (where no class
// is written as a number) its index from 0.
type labels struct {
	list    []dataset.Label
	byClass map[string]int
	byWord  map[string]int
	byIndex bool
}

func newLabels(list []dataset.Label) labels {
	l := labels{list: list, byClass: map[string]int{}, byWord: map[string]int{}, byIndex: true}
	for i, x := range list {
		if _, ok := l.byClass[x.Class]; !ok {
			l.byClass[x.Class] = i
		}
		if _, ok := l.byWord[x.Word]; !ok {
			l.byWord[x.Word] = i
		}
		if _, err := strconv.Atoi(x.Class); err == nil {
			l.byIndex = false
		}
	}
	return l
}

// index returns the class index of v. "1.0", as a column with gaps is often written, counts as "1".
func (l labels) index(v string) (int, bool) {
	if i, ok := l.byClass[v]; ok {
		return i, true
	}
	if i, ok := l.byWord[v]; ok {
		return i, true
	}
	t := strings.TrimSpace(v)
	if whole, zeros, ok := strings.Cut(t, "."); ok && zeros != "" && strings.Trim(zeros, "0") == "" {
		if _, err := strconv.Atoi(whole); err == nil {
			t = whole
		}
	}
	if t != v {
		return l.index(t)
	}
	if n, err := strconv.Atoi(v); err == nil && l.byIndex && n >= 0 && n < len(l.list) {
		return n, true
	}
	return 0, false
}

// valid is the fix of a class outside the labels.
func (l labels) valid(v string) string {
	names, said := make([]string, len(l.list)), []string{}
	for i, x := range l.list {
		names[i], said = x.Class, append(said, x.Class, x.Word)
		if x.Word != x.Class {
			names[i] += " (" + x.Word + ")"
		}
	}
	fix := "the labels are " + strings.Join(names, ", ")
	if n := choice.Nearest(strings.Join(strings.Fields(v), " "), said); n != "" {
		fix = fmt.Sprintf("did you mean %q? %s", n, fix)
	}
	if strings.TrimSpace(v) == "-1" {
		fix += "; -1 often marks a split whose labels are hidden: use another split"
	}
	return fix
}

// classNames reads what the datasets library writes into the footer of a Parquet file, and the
// hub's export with it: by column, the name of each class index 0, 1, …. Anything else is ignored.
func classNames(metadata string) map[string][]string {
	var m struct {
		Info struct {
			Features map[string]json.RawMessage `json:"features"`
		} `json:"info"`
	}
	if json.Unmarshal([]byte(metadata), &m) != nil {
		return nil
	}
	out := map[string][]string{}
	for column, raw := range m.Info.Features {
		var f struct {
			Type  string   `json:"_type"`
			Names []string `json:"names"`
		}
		if json.Unmarshal(raw, &f) == nil && f.Type == "ClassLabel" {
			out[column] = f.Names
		}
	}
	return out
}

// checkClassNames refuses labels in another order than the classes of the file: every record would silently count
// under the name of another class. It accepts labels whose classes are numbers, as these are the indices, and words
// that the file does not know.
func (m mapper) checkClassNames(src *source) error {
	class := m.roles[classRole]
	if class == nil || !m.labels.byIndex {
		return nil
	}
	for i, name := range src.classes[class.text] {
		k, ok := m.labels.index(strconv.Itoa(i))
		if !ok {
			continue
		}
		for j, l := range m.labels.list {
			if j != k && (same(name, l.Class) || same(name, l.Word)) && !same(name, m.labels.list[k].Class) &&
				!same(name, m.labels.list[k].Word) {
				return &dataset.SettingError{Key: "labels",
					Err: fmt.Errorf("column %q: class %d is %q in the file and %q in the labels", class.text, i, name,
						m.labels.list[k].Word),
					Fix: fmt.Sprintf("list the labels in the order of the file, or as tables { class = \"%d\", word = … } to say "+
						"which index is which", i)}
			}
		}
	}
	return nil
}

func same(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) }
