package files

import (
	"errors"
	"strings"
	"testing"

	"infnet/harness/dataset"
)

// Every error of a dataset's rows names the setting that the rows contradict,
// so that whoever reads the spec can be shown its line.
func TestErrorsNameTheirSetting(t *testing.T) {
	all := Mapping{Fields: map[string]string{"text": "t"}, ID: "i", Class: "c", Group: "g"}
	labels := []dataset.Label{{Class: "red", Word: "red"}, {Class: "dark blue", Word: "navy"}}
	refs := Mapping{Fields: map[string]string{"text": "t"}, References: "r"}
	const header = "t,i,c,g\n"
	tests := []struct {
		name, file, content string
		m                   Mapping
		key, says, fix      string
	}{
		{name: "unknown class", file: "x.csv", content: header + "a,1,green,g\n", m: all, key: "labels",
			says: `"green" is none`, fix: "the labels are red, dark blue (navy)"},
		{name: "misspelt class", file: "x.csv", content: header + "a,1,rad,g\n", m: all, key: "labels",
			fix: `did you mean "red"?`},
		{name: "class in capitals", file: "x.csv", content: header + "a,1,Dark  Blue,g\n", m: all, key: "labels",
			fix: `did you mean "dark blue"?`},
		{name: "hidden class", file: "x.csv", content: header + "a,1,-1,g\n", m: all, key: "labels", fix: "hidden"},
		{name: "empty class", file: "x.csv", content: header + "a,1,,g\n", m: all, key: "label", says: "is empty"},
		{name: "empty id", file: "x.csv", content: header + "a,,red,g\n", m: all, key: "id", says: "is empty"},
		{name: "no field", file: "x.jsonl", content: `{"text":"a","i":"1","c":"red","g":"g"}`, m: all, key: "fields.text",
			says: `no "t" here`},
		{name: "null field", file: "x.jsonl", content: `{"t":null,"i":"1","c":"red","g":"g"}`, m: all, key: "fields.text",
			says: "is null"},
		{name: "no class", file: "x.jsonl", content: `{"t":"a","i":"1","g":"g"}`, m: all, key: "label", says: `no "c" here`},
		{name: "no group", file: "x.jsonl", content: `{"t":"a","i":"1","c":"red"}`, m: all, key: "group",
			says: `no "g" here`},
		{name: "group is a list", file: "x.jsonl", content: `{"t":"a","i":"1","c":"red","g":[1]}`, m: all, key: "group",
			says: "is a list"},
		{name: "empty reference", file: "x.jsonl", content: `{"t":"a","r":""}`, m: refs, key: "reference", says: "is empty"},
		{name: "no field column", file: "x.csv", content: "tt,i,c,g\na,1,red,g\n", m: all, key: "fields.text",
			fix: `there are "tt"`},
		{name: "no id column", file: "x.tsv", content: "t\tc\tg\na\tred\tg\n", m: all, key: "id", says: `no column "i"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Mapping: tt.m}
			if tt.m.Class != "" {
				o.Labels = labels
			}
			_, err := load(t, tt.file, tt.content, o)
			key, fix := "source", ""
			var row *dataset.RowError
			var setting *dataset.SettingError
			switch {
			case err == nil:
				t.Fatal("no error")
			case errors.As(err, &row):
				if row.Key != "" {
					key = row.Key
				}
				fix = row.Fix
			case errors.As(err, &setting):
				key, fix = setting.Key, setting.Fix
			}
			if key != tt.key || !strings.Contains(err.Error(), tt.says) || !strings.Contains(fix, tt.fix) {
				t.Errorf("key %q, fix %q of %v\nwant key %q, %q and the fix %q", key, fix, err, tt.key, tt.says, tt.fix)
			}
		})
	}
}
