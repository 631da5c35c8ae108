package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/task"
	"infnet/metrics"
)

// setting carries the check of one dataset.
type setting struct {
	*loader
	def     *definition
	raw     *rawDataset
	builtin *BuiltinSource // nil for files
	out     Dataset
}

// dataset checks one dataset.
func (l *loader) dataset(d *definition, s *Study) Dataset {
	c := &setting{loader: l, def: d, raw: &d.file.raw.Datasets[d.i]}
	r := c.raw
	c.out = Dataset{
		Name:     d.name,
		OnBadRow: or(r.OnBadRow, dataset.FailOnBadRow),
		Truncate: or(r.Truncate, defaultTruncate),
	}
	known := c.source()
	switch {
	case r.Task != nil:
		c.out.Task = *r.Task
		if c.builtin != nil && c.out.Task != c.builtin.Task {
			c.wrong("task", fmt.Sprintf("%s is a task of %s", c.out.Source.Text, c.builtin.Task), "leave task out")
			c.out.Task = c.builtin.Task
		}
	case c.builtin != nil:
		c.out.Task = c.builtin.Task
	case known:
		l.missing(d.file, d.at, "task", "want one of classification, qa, translation, generation")
	}
	c.split()
	if c.out.Task == "" {
		return c.out // what follows depends on the task
	}
	c.labels()
	c.prompt()
	c.columns()
	c.generation()
	c.correct(s)
	c.metrics()
	return c.out
}

func (c *setting) classification() bool { return c.out.Task == task.Classification }

// wrong reports a key of this dataset.
func (c *setting) wrong(key, message, hint string) {
	c.bad(c.def.file, join(c.def.at, key), message, hint)
}

// lacks reports a key that this dataset must have.
func (c *setting) lacks(key, hint string) { c.missing(c.def.file, c.def.at, key, hint) }

// source finds where the rows are. It returns false where that is unknown,
// and with it what the defaults are.
func (c *setting) source() bool {
	if c.raw.Source == nil {
		c.lacks("source", "source = \"file:reviews.csv\" or \"builtin:reviews\"")
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
	}
	if scheme == "hf" {
		c.wrong("source", "sources on the Hugging Face hub are not available in this version", "download the file and name it: file:PATH, or file:${INFNET_DATA}/NAME.parquet")
		return true
	}
	c.wrong("source", fmt.Sprintf("unknown scheme %q", scheme), suggest(scheme, []string{string(File), string(Builtin)}))
	return false
}

// endings are those of the files that can be read.
var endings = []string{".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".parquet", ".pq"}

func (c *setting) fileSource(written string) {
	key := join(c.def.at, "source")
	where, ok := c.path(c.def.file, key, written)
	if !ok {
		return
	}
	c.out.Source.Name = where
	name := strings.TrimSuffix(strings.ToLower(where), ".gz")
	if !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) }) {
		c.wrong("source", fmt.Sprintf("the name %q does not say what the file holds", written), "want .jsonl, .csv, .tsv (each also with .gz) or .parquet")
		return
	}
	if info, err := c.place.stat(where); err != nil {
		c.wrong("source", fmt.Sprintf("cannot find %s: %s", where, reason(err)), "paths are relative to the file they stand in")
	} else if info.IsDir() {
		c.wrong("source", fmt.Sprintf("%s is a folder", where), "name one file in it")
	} else if info.Size() == 0 {
		c.wrong("source", fmt.Sprintf("%s is empty", where), "a dataset needs rows")
	}
}

func (c *setting) builtinSource(name string) bool {
	if c.options.Builtin == nil {
		c.wrong("source", fmt.Sprintf("no built-in dataset %q: there are none here", name), "")
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

// labels checks the classes.
func (c *setting) labels() {
	r := c.raw
	if !c.classification() {
		if r.Labels != nil {
			c.wrong("labels", fmt.Sprintf("a task of %s has no labels", c.out.Task), "leave labels out, or set task = \"classification\"")
		}
		return
	}
	if r.Labels == nil {
		if c.builtin == nil {
			c.lacks("labels", "labels = [\"negative\", \"positive\"], in the order of their indices in the data")
			return
		}
		for _, b := range c.builtin.Labels {
			c.out.Labels = append(c.out.Labels, Label{Class: b.Class, Word: strings.TrimPrefix(b.Word, " ")})
		}
		return
	}
	if n := len(r.Labels); n < 2 {
		c.wrong("labels", fmt.Sprintf("%d labels leave nothing to choose", n), "a classification needs two or more")
	}
	classes, words := map[string]int{}, map[string]int{}
	for i, raw := range r.Labels {
		at := join(c.def.at, "labels") + fmt.Sprintf("[%d]", i)
		if raw.Class == nil && !raw.plain {
			c.missing(c.def.file, at, "class", "how the label column names it")
			continue
		}
		word := or(raw.Word, or(raw.Class, ""))
		label := Label{Class: or(raw.Class, word), Word: word}
		c.label(at, raw, label)
		if j, again := classes[label.Class]; again {
			c.bad(c.def.file, at, fmt.Sprintf("the class %q twice, here and as labels[%d]", label.Class, j), "every class has one label")
		} else if j, again := words[label.Word]; again {
			c.bad(c.def.file, at, fmt.Sprintf("the word %q twice, here and as labels[%d]", label.Word, j), "a model must be able to say which class it means: give every class a word of its own")
		}
		classes[label.Class], words[label.Word] = i, i
		c.out.Labels = append(c.out.Labels, label)
	}
	if c.builtin != nil {
		c.builtinLabels()
	}
}

// label checks one label by itself.
func (c *setting) label(at string, raw rawLabel, label Label) {
	if !raw.plain && raw.Word != nil {
		at = join(at, "word")
	}
	switch {
	case strings.TrimSpace(label.Word) == "":
		c.bad(c.def.file, at, "the word is empty", "what the model should say for this class")
	case label.Word != strings.TrimSpace(label.Word):
		c.bad(c.def.file, at, fmt.Sprintf("the word %q has space around it", label.Word), "write the word alone: one space joins it to the prompt")
	case strings.ContainsAny(label.Word, "\n\r"):
		c.bad(c.def.file, at, fmt.Sprintf("the word %q has a line break", label.Word), "write one word, or a few on one line")
	}
}

// builtinLabels holds a study to the classes that a generator makes.
func (c *setting) builtinLabels() {
	want := make([]string, len(c.builtin.Labels))
	same := len(want) == len(c.out.Labels)
	for i, b := range c.builtin.Labels {
		want[i] = b.Class
		same = same && c.out.Labels[i].Class == b.Class
	}
	if !same {
		c.wrong("labels", fmt.Sprintf("%s makes the classes %s, in this order", c.out.Source.Text, strings.Join(want, ", ")), "name these; the words are yours to choose: { class = \"…\", word = \"…\" }")
	}
}

// prompt checks the template and finds the fields it needs.
func (c *setting) prompt() {
	r := c.raw
	if r.Prompt == nil && c.builtin == nil {
		c.lacks("prompt", "the text a model gets, such as prompt = \"Review: {text}\\nSentiment:\"")
		return
	}
	if r.Prompt != nil {
		c.out.Prompt = *r.Prompt
	} else {
		c.out.Prompt = c.builtin.Prompt
	}
	template, err := task.ParseTemplate(c.out.Prompt)
	if err != nil {
		c.wrong("prompt", err.Error(), "a field is {name}; for a brace itself write {{ or }}")
		return
	}
	used := template.Fields()
	switch {
	case len(used) == 0:
		c.wrong("prompt", "the prompt names no field: every record would get the same text", "put the column's name in braces: {text}")
		return
	case strings.TrimRight(c.out.Prompt, " \t") != c.out.Prompt:
		c.warn(c.def.file, join(c.def.at, "prompt"), "the prompt ends in a space", "the answer brings its own; most models do worse after two")
	}
	c.fields(used)
}

// fields maps what the prompt names to columns.
func (c *setting) fields(used []string) {
	r := c.raw
	if c.builtin != nil {
		if r.Fields != nil {
			c.wrong("fields", "a built-in dataset has its own fields", "leave fields out; it has "+strings.Join(c.builtin.Fields, ", "))
			return
		}
		for _, name := range used {
			if !slices.Contains(c.builtin.Fields, name) {
				c.wrong("prompt", fmt.Sprintf("%s has no field {%s}", c.out.Source.Text, name), suggest(name, c.builtin.Fields))
			}
		}
		for _, name := range slices.Sorted(slices.Values(c.builtin.Fields)) {
			c.out.Fields = append(c.out.Fields, Field{Name: name, Column: name})
		}
		return
	}
	if r.Fields == nil {
		for _, name := range slices.Sorted(slices.Values(used)) {
			c.out.Fields = append(c.out.Fields, Field{Name: name, Column: name})
		}
		return
	}
	names := slices.Sorted(maps.Keys(r.Fields))
	for _, name := range names {
		if t, err := task.ParseTemplate("{" + name + "}"); err != nil || !slices.Equal(t.Fields(), []string{name}) {
			c.bad(c.def.file, join(c.def.at+".fields", name), fmt.Sprintf("%q cannot stand in braces", name), "letters, digits, _, - and . make a name")
		} else if !slices.Contains(used, name) {
			c.warn(c.def.file, join(c.def.at+".fields", name), fmt.Sprintf("the prompt does not name {%s}", name), "the column is read and not used")
		}
		c.column(join("fields", name), r.Fields[name])
		c.out.Fields = append(c.out.Fields, Field{Name: name, Column: r.Fields[name]})
	}
	for _, name := range used {
		if !slices.Contains(names, name) {
			c.wrong("prompt", fmt.Sprintf("{%s} is not among the fields", name), suggest(name, names))
		}
	}
}

// column checks a column path of the key.
func (c *setting) column(key, path string) {
	if err := dataset.CheckPath(path); err != nil {
		c.bad(c.def.file, c.def.at+"."+key, err.Error(), "")
	}
}

// columns checks which columns hold the reference, the id and the group.
func (c *setting) columns() {
	r, d := c.raw, &c.out
	for _, k := range []struct {
		key string
		p   *string
		to  *string
	}{{"label", r.Label, &d.LabelColumn}, {"reference", r.Reference, &d.ReferenceColumn}, {"id", r.ID, &d.IDColumn}, {"group", r.Group, &d.GroupColumn}} {
		if k.p == nil {
			continue
		}
		if c.builtin != nil {
			c.wrong(k.key, "a built-in dataset has no columns", "leave it out")
			continue
		}
		c.column(k.key, *k.p)
		*k.to = *k.p
	}
	switch {
	case c.builtin != nil:
	case c.classification():
		if r.Reference != nil {
			c.wrong("reference", "a classification's reference is its label column", "leave it out, or write label = …")
		}
		if r.Label == nil {
			d.LabelColumn = defaultLabel
		}
	default:
		if r.Label != nil {
			c.wrong("label", fmt.Sprintf("a task of %s has no label column", d.Task), "write reference = … for the accepted answers")
		}
		if r.Reference == nil {
			c.lacks("reference", "the column of the accepted answers, such as \"answers.text\"")
		}
	}
}

// split puts a dataset's rows together from the dataset's own keys, the
// study's [split], the catalog's, and the defaults, in this order.
func (c *setting) split() {
	r, main := c.raw, c.files[0]
	at := []string{c.def.at + ".split", "split", "split"}
	from := []*file{c.def.file, main, c.def.file}
	raws := []*rawSplit{r.Split, main.raw.Split, c.def.file.raw.Split}
	s := &c.out.Split
	*s = Split{Fit: defaultFit, Order: defaultOrder}
	if r.Limit != nil && r.Split != nil && r.Split.Limit != nil {
		c.bad(c.def.file, c.def.at+".split.limit", "the limit is there twice, here and as limit", "write it once")
	}
	limit, limitAt, limitFile := r.Limit, c.def.at+".limit", c.def.file
	fitAt, stratifyAt, stratifyFile := "", "", c.def.file
	for i := len(raws) - 1; i >= 0; i-- {
		raw := raws[i]
		if raw == nil {
			continue
		}
		if raw.Fit != nil {
			s.Fit, fitAt = *raw.Fit, at[i]+".fit"
			if s.Fit <= 0 || s.Fit >= 1 {
				c.once(from[i], fitAt, fmt.Sprintf("the fit part's share %v is outside (0,1)", s.Fit), "0.8 fits on four records of five and tests on the fifth")
			}
		}
		s.Order = or(raw.Order, s.Order)
		if raw.Stratify != nil {
			s.Stratify, stratifyAt, stratifyFile = *raw.Stratify, at[i]+".stratify", from[i]
		}
	}
	for i := range raws {
		if limit == nil && raws[i] != nil && raws[i].Limit != nil {
			limit, limitAt, limitFile = raws[i].Limit, at[i]+".limit", from[i]
		}
	}
	if limit != nil {
		s.Limit = int(c.rows(limitFile, limitAt, *limit))
	}
	if n := c.options.Limit; n > 0 && (s.Limit == 0 || n < s.Limit) {
		s.Limit = n
	}
	if s.Stratify && c.out.Task != "" && !c.classification() && stratifyAt == at[0]+".stratify" {
		c.once(stratifyFile, stratifyAt, fmt.Sprintf("a task of %s has no classes to stratify by", c.out.Task), "leave stratify out")
	}
	s.Stratify = s.Stratify && c.classification()
}

// fewest and most rows that a study may ask for.
const (
	fewest = 10
	most   = 100_000_000
)

func (c *setting) rows(f *file, key string, n int64) int64 {
	if n < fewest || n > most {
		c.once(f, key, fmt.Sprintf("a limit of %d rows", n), fmt.Sprintf("%d rows or more, or leave it out to use all", fewest))
		return 0
	}
	return n
}

// once reports a key that several datasets share a single time.
func (c *setting) once(f *file, key, message, hint string) {
	at := f.index.valueAt(key)
	for _, p := range c.problems {
		if p.File == f.name && p.Line == at.line && p.Column == at.column && p.Message == message {
			return
		}
	}
	c.bad(f, key, message, hint)
}

// generation checks how an answer is written.
func (c *setting) generation() {
	r, d := c.raw, &c.out
	if c.classification() {
		if r.MaxTokens != nil {
			c.wrong("max_tokens", "a classification generates no tokens", "leave it out")
		}
		if r.Stop != nil {
			c.wrong("stop", "a classification generates no tokens", "leave it out")
		}
		return
	}
	tokens := int64(defaultsOf(d.Task).maxTokens)
	if c.builtin != nil {
		tokens = int64(c.builtin.MaxTokens)
	}
	d.MaxTokens = int(c.whole(c.def.file, c.def.at+".max_tokens", r.MaxTokens, tokens, 1, 4096))
	d.Stop = slices.Clone(r.Stop)
	for i, s := range r.Stop {
		if s == "" {
			c.wrong("stop", fmt.Sprintf("stop[%d] is empty: it would end every answer at once", i), "leave it out")
		}
	}
}

// correct checks the rule by which answers are right.
func (c *setting) correct(s *Study) {
	raw := or(c.raw.Correct, rawCorrect{})
	rule := or(raw.Rule, defaultsOf(c.out.Task).rule)
	c.out.Correct.Rule = rule
	key := "correct.rule"
	if (rule == task.Label) != c.classification() {
		hint := "want one of exact-match, token-f1, rouge-l, cosine"
		if c.classification() {
			hint = "a classification's answer is right where its label is: leave the rule out"
		}
		c.bad(c.def.file, c.def.at+"."+key, fmt.Sprintf("the rule %s is not one for %s", rule, c.out.Task), hint)
		return
	}
	if rule == task.Cosine {
		c.bad(c.def.file, c.def.at+"."+key, fmt.Sprintf("the rule cosine with the %s embedder: a number of shared n-grams is no measure of meaning, and a threshold on it means nothing", s.Embedder.Kind),
			"use token-f1 or rouge-l; the cosine may still stand among the metrics")
	}
	if rule == task.Label || rule == task.ExactMatch {
		if raw.Tau != nil {
			c.bad(c.def.file, c.def.at+".correct.tau", fmt.Sprintf("the rule %s has no threshold", rule), "leave tau out, or set rule = \"token-f1\"")
		}
		return
	}
	c.out.Correct.Tau = or(raw.Tau, defaultTau)
	if t := c.out.Correct.Tau; t <= 0 || t > 1 {
		c.bad(c.def.file, c.def.at+".correct.tau", fmt.Sprintf("the threshold %v is outside (0,1]", t), "the paper's is 0.7")
	}
}

// metrics checks which scores the tables show.
func (c *setting) metrics() {
	d := &c.out
	d.Metrics = slices.Clone(c.raw.Metrics)
	if c.raw.Metrics == nil {
		d.Metrics = defaultsOf(d.Task).metrics
		return
	}
	if len(d.Metrics) == 0 {
		c.wrong("metrics", "the list is empty: the tables would have nothing to show", "leave it out for the task's own")
	}
	valid := metricsOf(d.Task)
	for i, m := range d.Metrics {
		key := c.def.at + "." + element("metrics", i)
		if !slices.Contains(valid, m) {
			c.bad(c.def.file, key, fmt.Sprintf("%s is no score of %s", m, d.Task), "want of "+listed(valid))
		} else if slices.Contains(d.Metrics[:i], m) {
			c.bad(c.def.file, key, fmt.Sprintf("%s twice", m), "name it once")
		} else if m == metrics.F1Binary && len(d.Labels) > 2 {
			c.bad(c.def.file, key, fmt.Sprintf("%s of %d classes: it is the F1 of the second of two", m, len(d.Labels)), "use f1-macro")
		}
	}
}

// metricsOf lists the scores that mean something for a task.
func metricsOf(k task.Kind) []metrics.Name {
	var out []metrics.Name
	for _, m := range metrics.All() {
		if (m.Input == metrics.Classes) == (k == task.Classification) {
			out = append(out, m.Name)
		}
	}
	return out
}

func listed[T ~string](names []T) string {
	var out []string
	for _, n := range names {
		out = append(out, string(n))
	}
	return strings.Join(out, ", ")
}
