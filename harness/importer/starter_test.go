package importer_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/dataset"
	rowfiles "infnet/harness/dataset/files"
	"infnet/harness/importer"
	"infnet/harness/spec"
	"infnet/harness/task"
)

var update = flag.Bool("update", false, "rewrite golden files")

// options give starters the built-in models.
func options() spec.Options {
	return spec.Options{Models: fstest.MapFS{"tiny-student/config.json": {}, "tiny-master/config.json": {}}}
}

// start writes a starter spec for a file.
func start(file string) (string, error) {
	s, err := sample(file)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = importer.Starter(&b, s)
	return b.String(), err
}

// sample reads the first rows of a file.
func sample(file string) (importer.Sample, error) {
	t, err := rowfiles.OpenTable(file, 100)
	if err != nil {
		return importer.Sample{}, err
	}
	return importer.Sample{File: filepath.Base(file), Columns: t.Columns(), Rows: t.Rows, Value: t.Value}, nil
}

// opens loads the rows of a file as the study maps them: a starter spec is
// good only if its data can be read.
func opens(d *spec.Dataset) (*dataset.Set, error) {
	fields := map[string]string{}
	for _, f := range d.Fields {
		fields[f.Name] = f.Column
	}
	return rowfiles.Load(context.Background(), rowfiles.Options{
		Name: d.Name, Path: d.Source.Name, Labels: d.Labels, Limit: d.Split.Limit,
		Mapping: rowfiles.Mapping{Fields: fields, ID: d.IDColumn, Class: d.LabelColumn, References: d.ReferenceColumn,
			Group: d.GroupColumn},
	})
}

func TestStarters(t *testing.T) {
	for _, test := range []struct {
		file string
		task task.Kind
		rows int
		says string // a rendered prompt of the first row
	}{
		{"reviews.csv", task.Classification, 12, "Text: a film, number 0\nClass:"},
		{"few.csv", task.Classification, 4, "Text: a fine film\nClass:"},
		{"numbered.jsonl", task.Classification, 12, "Text: message 0 of some length\nClass:"},
		{"awkward columns.tsv", task.Classification, 12, "Text: text with = and # and \"\"\" number 0\nClass:"},
		{"squad.jsonl", task.QA, 11, "Passage: The passage 0.\nQuestion: What 0?\nAnswer:"},
		{"wmt.jsonl", task.Translation, 11, "de: Ein Satz Nummer 0 auf Deutsch\nen:"},
		{"languages.csv", task.Translation, 11, "de: ein laengerer deutscher Satz 0\nen:"},
		{"prompts.csv", task.Generation, 11, "write about 0 things at length\n"},
		{"hostile.jsonl", task.Classification, 12, "Text: some longer text than the others 0\nClass:"},
	} {
		t.Run(test.file, func(t *testing.T) {
			text, err := start(filepath.Join("testdata", test.file))
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join("testdata", test.file+".golden")
			if *update {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text); diff != "" {
				t.Errorf("%s (-want +got; go test -update accepts it):\n%s", name, diff)
			}
			dir := t.TempDir()
			data, err := os.ReadFile(filepath.Join("testdata", test.file))
			if err != nil {
				t.Fatal(err)
			}
			for name, content := range map[string][]byte{test.file: data, "study.toml": []byte(text)} {
				if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := spec.Load(filepath.Join(dir, "study.toml"), options())
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			for _, w := range s.Warnings {
				t.Errorf("a starter with a warning: %s", w)
			}
			d := &s.Datasets[0]
			if d.Task != test.task {
				t.Errorf("task %s, want %s", d.Task, test.task)
			}
			set, err := opens(d)
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			if len(set.Examples) != test.rows {
				t.Errorf("%d rows, want %d", len(set.Examples), test.rows)
			}
			template, err := task.ParseTemplate(d.Prompt)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := template.Prompt(set, 0); err != nil || got != test.says {
				t.Errorf("prompt %q (%v), want %q", got, err, test.says)
			}
		})
	}
}

func TestCannotGuess(t *testing.T) {
	name := filepath.Join(t.TempDir(), "numbers.csv")
	if err := os.WriteFile(name, []byte("a,b\n0.5,1.5\n0.25,3.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := start(name)
	if err == nil || !strings.Contains(err.Error(), `"a", "b"`) {
		t.Errorf("error %v, want one that lists the columns", err)
	}
	for _, file := range []string{"", "a${HOME}.csv", "a\nb.csv"} {
		if err := importer.Starter(&bytes.Buffer{}, importer.Sample{File: file}); err == nil {
			t.Errorf("file %q: no error", file)
		}
	}
}

// Whatever stands in a file, its starter spec is read back as it was meant,
// or there is an error.
func TestQuotesAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		anything := rapid.StringN(1, 12, 40)
		column, label := anything.Draw(t, "text column"), anything.Draw(t, "label column")
		classes := rapid.SliceOfNDistinct(anything, 2, 4, rapid.ID).Draw(t, "classes")
		if column == label {
			t.Skip("one column")
		}
		rows := 3 * len(classes)
		cell := func(row int, of string) (any, bool) {
			return map[string]string{column: "t", label: classes[row%len(classes)]}[of], true
		}
		columns := []dataset.Column{
			{Path: column, Type: dataset.Text, Values: rows, Distinct: rows, Longest: 100},
			{Path: label, Type: dataset.Text, Values: rows, Distinct: len(classes), Longest: 12},
		}
		var b bytes.Buffer
		if err := importer.Starter(&b, importer.Sample{File: "data.csv", Columns: columns, Rows: rows,
			Value: cell}); err != nil {
			return
		}
		s, err := spec.LoadFS(fstest.MapFS{"data.csv": {Data: []byte("x")}, "study.toml": {Data: b.Bytes()}}, "study.toml",
			options())
		if err != nil {
			t.Fatalf("%s\n%v", b.String(), err)
		}
		d := s.Datasets[0]
		if d.Task != task.Classification {
			return // the names gave away another task
		}
		for _, l := range d.Labels {
			if !strings.Contains(strings.Join(classes, "\x00"), l.Class) {
				t.Fatalf("class %q is none of %q", l.Class, classes)
			}
		}
	})
}
