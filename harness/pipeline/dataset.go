package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"infnet/harness/analyze"
	"infnet/harness/dataset"
	"infnet/harness/dataset/builtin"
	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/program"
	"infnet/harness/question"
	"infnet/harness/regular"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/metrics/extract"
)

// Dataset is a dataset of an opened study.
type Dataset struct {
	*spec.Dataset
	Sheet *question.Sheet // its questions; nil = its rows are not on this machine

	study  *Study
	source string // its identity in the store
	origin analyze.Origin
	grader *program.Grader // nil = no program grades the answers
}

// read loads a dataset and prepares its questions.
func (d *Dataset) read(ctx context.Context) error {
	st := d.study
	set, err := d.load(ctx)
	if err != nil {
		if !strings.Contains(err.Error(), "dataset "+d.Name) {
			err = fmt.Errorf("dataset %s: %w", d.Name, err)
		}
		return d.placed(err)
	}
	if set == nil {
		return nil // not on this machine
	}
	if err := d.findReferences(set); err != nil {
		return err
	}
	// Check before any call that there is enough data to fit and to test.
	n := len(set.Examples)
	if d.Split.Column == "" && (split.Floor(d.Split.Fit, n) < 1 || split.Floor(d.Split.Fit, n) >= n) {
		return fault.Spec.Wrap(st.Spec.At(spec.OfDatasets, d.Name,
			fmt.Errorf("dataset %s: fit = %v of %d records leaves no record to fit or none to test",
				d.Name, d.Split.Fit, n), "use more records, or another share", "split.fit"))
	}
	if one := set.Examples[0].Domain; d.DomainColumn != "" && !slices.ContainsFunc(set.Examples,
		func(e dataset.Example) bool { return e.Domain != one }) {
		return fault.Spec.Wrap(st.Spec.At(spec.OfDatasets, d.Name, fmt.Errorf("dataset %s: every record has %.60q in the "+
			"column %q: there is nothing to transfer to", d.Name, one, d.DomainColumn),
			"name a column that divides the records, or dataset", "transfer.by"))
	}
	sheet, err := question.New(d.Dataset, set)
	if err != nil {
		return st.Spec.At(spec.OfDatasets, d.Name, err, "", "prompt")
	}
	if err := sheet.Show(st.Spec.Seed); err != nil {
		return fault.Spec.Wrap(st.Spec.At(spec.OfDatasets, d.Name, err, "", "examples"))
	}
	if err := d.questionTexts(sheet); err != nil {
		return err
	}
	sheet.LabelMode, sheet.Over = st.labelMode, st.Spec.Confidence.Over
	d.Sheet = sheet
	return nil
}

// findReferences takes of each reference the part that is the answer.
func (d *Dataset) findReferences(set *dataset.Set) error {
	if d.FindReference == "" {
		return nil
	}
	finder, err := extract.New([]extract.Way{d.FindReference})
	if err != nil {
		return fault.Spec.Wrap(err)
	}
	for i := range set.Examples {
		e := &set.Examples[i]
		for k, text := range e.References {
			said, ok := finder.Find(text, true)
			if !ok {
				return d.placed(&dataset.SettingError{Key: "find_reference", Fix: "name another way, or leave it out",
					Err: fmt.Errorf("dataset %s: row %d: no answer by %s in the reference %.60q", d.Name, e.Row, d.FindReference,
						text)})
			}
			e.References[k] = said.Text
		}
	}
	return nil
}

// placed adds to an error about a dataset's rows the line of the spec that it contradicts: the
// setting that the reader names, else the source.
func (d *Dataset) placed(err error) error {
	var row *dataset.RowError
	var setting *dataset.SettingError
	key, fix := "source", ""
	switch {
	case errors.As(err, &row):
		key, fix = cmp.Or(row.Key, key), row.Fix
	case errors.As(err, &setting):
		key, fix = setting.Key, setting.Fix
	}
	keys := []string{key}
	if strings.HasPrefix(key, "fields.") {
		keys = append(keys, "prompt") // a field that is not written is named there alone
	}
	return d.study.Spec.At(spec.OfDatasets, d.Name, err, fix, keys...)
}

// load returns the examples of a dataset, and notes the hash of its source: the identity under
// which answers are stored, so that studies that use more or fewer rows of one source share them.
// The set is nil if the rows are on the hub and the study is opened without them.
func (d *Dataset) load(ctx context.Context) (set *dataset.Set, err error) {
	switch d.Source.Scheme {
	case spec.Builtin:
		return d.generate()
	case spec.Hub:
		return d.fetch(ctx)
	}
	if d.source, err = contentHash(d.study, d.Source.Name); err != nil {
		return nil, err
	}
	return files.Load(ctx, d.options())
}

// defaultBuiltinRows is the length of a built-in dataset without a limit.
const defaultBuiltinRows = 1000

// generate makes the examples of a built-in dataset.
func (d *Dataset) generate() (*dataset.Set, error) {
	generator, err := builtin.Lookup(d.Source.Name)
	if err != nil {
		return nil, err
	}
	root := d.study.Spec.Seed
	examples, err := generator.Examples(builtin.Study, root, cmp.Or(d.Split.Limit, defaultBuiltinRows))
	if err != nil {
		return nil, err
	}
	if d.DomainColumn != "" {
		for i := range examples {
			examples[i].Domain = examples[i].Fields[d.DomainColumn]
		}
	}
	set, err := dataset.New(d.Name, examples)
	d.source = hash(fmt.Sprintf("builtin:%s seed %d", d.Source.Name, root))
	return set, err
}

// fetch reads a dataset of the hub. Its identity in the store is that of the
// reference with its commit, however many of its rows a study uses.
func (d *Dataset) fetch(ctx context.Context) (*dataset.Set, error) {
	got, err := d.study.fetcher.rows(ctx, d)
	if got == nil || err != nil {
		return nil, err
	}
	d.origin.Revision = got.Commit
	if got.Partial {
		d.origin.Partial = true
		d.study.events.Warn("the hub exports only the beginning of the split", "dataset", d.Name, "source", d.Source.Text)
	}
	o, paths := d.options(), got.Paths()
	o.FS, o.Path, o.Shards, o.Format = nil, paths[0], paths[1:], files.Parquet
	d.source = hash(got.Ref.String())
	return files.Load(ctx, o)
}

// options are the settings for reading a dataset's rows.
func (d *Dataset) options() files.Options {
	s := d.study.Spec
	o := files.Options{
		Name: d.Name, Path: d.Source.Name, FS: s.FS, Limit: d.Split.Limit,
		Labels: d.Labels,
		Mapping: files.Mapping{Fields: map[string]string{}, ID: d.IDColumn, Class: d.LabelColumn,
			References: d.ReferenceColumn, Group: d.GroupColumn, Part: d.Split.Column, Domain: d.DomainColumn,
			Options: d.Options},
	}
	for _, f := range d.Fields {
		o.Mapping.Fields[f.Name] = f.Column
	}
	if right := cmp.Or(d.ReferenceColumn, d.LabelColumn); slices.Contains(d.Options, right) { // its place would tell
		o.OptionRank = func(texts []string) (ranks []uint64) {
			rank := seed.Hasher(s.Seed, append([]string{"options", d.Name}, texts...)...)
			for _, t := range texts {
				ranks = append(ranks, rank(t))
			}
			return ranks
		}
	}
	if d.Split.Order == spec.Shuffle {
		o.Rank = func(id string) uint64 { return seed.Hash(s.Seed, "sample", d.Name, id) }
	}
	return o
}

// hash is the SHA-256 of a text, hexadecimal.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// contentHash returns the SHA-256 of a file's bytes, hexadecimal. A file that has the questions and the answers of
// several models is read for it once.
func contentHash(st *Study, path string) (string, error) {
	if known, ok := st.hashes[path]; ok {
		return known, nil
	}
	sum, err := hashFile(st.Spec.FS, path)
	if err == nil {
		st.hashes[path] = sum
	}
	return sum, err
}

// contentHash returns the SHA-256 of a file's bytes, hexadecimal.
func hashFile(fsys fs.FS, path string) (string, error) {
	var f io.ReadCloser
	var err error
	if fsys != nil {
		f, err = fsys.Open(path)
	} else {
		f, err = regular.Open(path)
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// questionTexts questions, before any model is called, flaws of a dataset's texts that weaken its
// numbers.
func (d *Dataset) questionTexts(sheet *question.Sheet) error {
	st := d.study
	parts, err := sheet.Split(st.Spec.Seed, 0)
	if err != nil {
		return fault.Spec.Wrap(st.Spec.At(spec.OfDatasets, d.Name, err, "", "split.column", "split.fit", "group", "split"))
	}
	for _, q := range sheet.Texts(parts).Doubts() {
		st.ask(q.Text, "dataset", d.Name)
	}
	if n := sheet.Set.Shown; n > 0 {
		st.events.Info("rows left out, as prompts show them", "dataset", d.Name, "rows", n, "left", sheet.Len())
	}
	return nil
}
