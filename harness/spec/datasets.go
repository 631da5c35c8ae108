package spec

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/harness/dataset"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// datasetCheck carries the check of one dataset.
type datasetCheck struct {
	*definition
	raw     *rawDataset
	main    *file
	study   *Study // its own tables, which datasets inherit from
	options Options
	builtin *BuiltinSource // nil for files
	out     Dataset
}

// Parts of the check, each with the methods that it alone needs.
type (
	sourceCheck datasetCheck
	labelCheck  datasetCheck
	gradeCheck  datasetCheck
	splitCheck  datasetCheck
)

// checkDataset checks one dataset.
func checkDataset(d *definition, s *Study, main *file, o Options) Dataset {
	c := &datasetCheck{definition: d, raw: d.dataset(), main: main, study: s, options: o}
	r := c.raw
	c.out = Dataset{
		Name:     d.name,
		OnBadRow: or(r.OnBadRow, dataset.FailOnBadRow),
		Truncate: or(r.Truncate, defaultTruncate),
		Dedupe:   or(r.Dedupe, dataset.KeepCopies) == dataset.FirstOnly,
		Padding:  or(r.Padding, s.Cost.Padding),
	}
	if r.Padding != nil {
		checkPadding(d.file, d.at+".padding", Cost{Model: s.Cost.Model, Padding: *r.Padding})
	}
	known := (*sourceCheck)(c).source()
	(*sourceCheck)(c).delimiter()
	c.task(known)
	(*splitCheck)(c).split()
	if c.out.Task == "" {
		return c.out // what follows depends on the task
	}
	(*labelCheck)(c).labels()
	c.question()
	c.other()
	c.prompt()
	c.columns()
	c.domain()
	c.turns()
	c.direction()
	(*gradeCheck)(c).generation()
	(*gradeCheck)(c).correct()
	(*gradeCheck)(c).metrics()
	return c.out
}

// task checks the dataset's task. known is false if the source's own task is unknown.
func (c *datasetCheck) task(known bool) {
	switch {
	case c.raw.Task != nil:
		c.out.Task = *c.raw.Task
		if c.builtin != nil && c.out.Task != c.builtin.Task {
			c.wrong("task", fmt.Sprintf("%s is a task of %s", c.out.Source.Text, c.builtin.Task), "leave task out")
			c.out.Task = c.builtin.Task
		}
	case c.builtin != nil:
		c.out.Task = c.builtin.Task
	case known:
		c.missing("task", "want one of classification, qa, translation, generation")
	}
}

func (d *Dataset) classification() bool { return d.Task == task.Classification }

// source finds the rows. It returns false if they, and so the defaults, are unknown.
func (c *sourceCheck) source() bool {
	if c.raw.Source == nil {
		c.missing("source", "source = \"file:reviews.csv\" or \"builtin:reviews\"")
		return false
	}
	text := *c.raw.Source
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok {
		c.wrong("source", fmt.Sprintf("%q does not say what it is", text), fmt.Sprintf("write \"file:%s\" for a file", text))
		return false
	}
	c.out.Source = Source{Scheme: Scheme(scheme), Name: rest, Text: text}
	switch c.out.Source.Scheme {
	case File:
		c.fileSource(rest)
		return true
	case Builtin:
		return c.builtinSource(rest)
	case Hub:
		c.hubSource(text)
		return true
	}
	c.wrong("source", fmt.Sprintf("unknown scheme %q", scheme),
		place.Suggest(scheme, []string{string(File), string(Builtin), string(Hub)}))
	return false
}

// endings are those of the files that can be read.
var endings = []string{".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".parquet", ".pq"}

func (c *sourceCheck) fileSource(written string) {
	key := place.Join(c.at, "source")
	where, ok := c.file.path(key, written)
	if !ok {
		return
	}
	c.out.Source.Name = where
	name := strings.TrimSuffix(strings.ToLower(where), ".gz")
	if !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) }) {
		c.wrong("source", fmt.Sprintf("the name %q does not say what the file holds", written),
			"want .jsonl, .csv, .tsv (each also with .gz) or .parquet")
		return
	}
	if info, err := c.file.fsys.stat(where); err != nil {
		c.wrong("source", fmt.Sprintf("cannot find %s: %s", where, reason(err)),
			"paths are relative to the file that contains them")
	} else if info.IsDir() {
		c.wrong("source", fmt.Sprintf("%s is a folder", where), "name one file in it")
	} else if info.Size() == 0 && info.Mode().IsRegular() {
		c.wrong("source", fmt.Sprintf("%s is empty", where), "a dataset needs rows")
	}
}

// hubSource checks the grammar of a reference; it does not call the hub.
func (c *sourceCheck) hubSource(written string) {
	found, err := ref.ParseDataset(written)
	if err != nil {
		c.wrong("source", err.Error(),
			"hf:OWNER/NAME/CONFIGURATION:SPLIT@REVISION, such as hf:nyu-mll/glue/sst2:train; what there is one of may be "+
				"left out")
		return
	}
	c.out.Source.Name = found.String()
}

func (c *sourceCheck) builtinSource(name string) bool {
	if c.options.Builtin == nil {
		c.wrong("source", fmt.Sprintf("no built-in dataset %q: there are none", name), "")
		return false
	}
	b, err := c.options.Builtin(name)
	if err != nil {
		c.wrong("source", err.Error(), "")
		return false
	}
	c.builtin = &b
	return true
}

// separator reads a cell separator as a spec writes it; false = it is not one.
func separator(text string) (rune, bool) {
	if text == "tab" {
		text = "\t"
	}
	r, size := utf8.DecodeRuneInString(text)
	return r, size > 0 && size == len(text) && !strings.ContainsRune("\"\r\n\x00", r) && r != utf8.RuneError
}

// delimiter checks the cell separator of a CSV file.
func (c *sourceCheck) delimiter() {
	if c.raw.Delimiter == nil {
		return
	}
	text := *c.raw.Delimiter
	r, ok := separator(text)
	name := strings.TrimSuffix(strings.ToLower(c.out.Source.Name), ".gz")
	switch {
	case c.out.Source.Scheme != File && c.out.Source.Scheme != "", c.out.Source.Scheme == File &&
		!strings.HasSuffix(name, ".csv"):
		c.wrong("delimiter", fmt.Sprintf("%s has no delimiter to choose", c.out.Source.Text),
			"leave it out; it is for files named .csv")
	case !ok:
		c.wrong("delimiter", fmt.Sprintf("%q cannot part cells", text), `want one character, such as ";" or "|", or "tab"`)
	case r != ',': // the default written out is the default
		c.out.Delimiter = r
	}
}
