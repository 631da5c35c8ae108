package files

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"infnet/harness/dataset"
)

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

// checkClassNames refuses labels in another order than the classes of the file:
// every record would silently count under the name of another class. It accepts
// labels whose classes are numbers, as these are the indices, and words that the
// file does not know.
func (m mapper) checkClassNames(src rows) error {
	p, ok := src.(interface{ classNames(column string) []string })
	class := m.roles[classRole]
	if !ok || class == nil || !m.labels.byIndex {
		return nil
	}
	for i, name := range p.classNames(class.text) {
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
