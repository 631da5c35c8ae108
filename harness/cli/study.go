package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"infnet/backends"
	"infnet/experiments"
	"infnet/harness/analyze"
	"infnet/harness/dataset"
	"infnet/harness/dataset/builtin"
	"infnet/harness/dataset/files"
	"infnet/harness/fault"
	"infnet/harness/question"
	"infnet/harness/records"
	"infnet/harness/regular"
	"infnet/harness/seed"
	"infnet/harness/spec"
	"infnet/harness/split"
	"infnet/harness/store"
)

// studyFlags are the flags of every command that reads a spec.
type studyFlags struct {
	Spec string `arg:"" help:"The study's TOML file, or \"quickstart\" for the built-in one."`
	askedFlags
}

// askedFlags say what is asked of a study, and where things are.
type askedFlags struct {
	Limit  int    `help:"Use at most N rows of each dataset (over the spec's limit)." placeholder:"N"`
	Target string `help:"Error budget over the spec's: master, student, best, min or a number in [0,1]." placeholder:"T"`
	Out    string `help:"Folder of results and tables. Default: runs/STUDY." placeholder:"DIR"`
	Store  string `help:"Folder of the answers, shared by all studies." default:"runs/answers" placeholder:"DIR"`
	Jobs   int    `help:"CPU threads. 0 is all." default:"0" placeholder:"N"`
	overrideFlags
	screenFlags
	trustFlags

	Budget spec.Budget `kong:"-"` // over the spec's, of commands that have flags for it
	Long   bool        `kong:"-"` // fine-tune encoders however long it takes
}

// trustFlags say which answers on disk are believed.
type trustFlags struct {
	AcceptUnconfirmed bool `help:"Count answers that an earlier version stored without the name by which the server knows the model, where that is not the model's id."`
}

// screenFlags say how a command reports what it does.
type screenFlags struct {
	Quiet bool   `help:"No progress and no log lines below warnings; results are still printed."`
	Log   string `help:"Log format: text or json." enum:"text,json" default:"text"`
}

// study is a spec with everything that can be known without asking a model.
type study struct {
	spec   *spec.Study
	flags  *studyFlags
	screen *screen
	store  *store.Store
	models map[string]records.Facts
	opens  map[string]func() (backends.Model, error) // models that were or will be opened, by name
	// labelModes says how models whose servers were probed are asked for classifications.
	labelModes map[string]backends.LabelMode
	// olderModes says it of models as an earlier version found it, whether or not its answers count.
	olderModes map[string]backends.LabelMode
	configs    map[string]backends.Config
	sheets     map[string]*question.Sheet
	facts      map[string]backends.Facts // of models whose folders say something about them
	sources    map[string]string         // by dataset: its identity in the store
	origins    map[string]analyze.Origin
	reach      reach
	away       []away // datasets and models of the hub that are not here
	out        string
	toldOlder  bool            // what is on disk of an earlier version was said
	said       map[string]bool // questions that were shown, by their text

	hurry <-chan struct{} // closed when a second signal asks to leave at once

	mu      sync.Mutex
	damaged []string // files of the store whose last line is torn
}

// torn says that the store lacks a line, whatever the command.
func (st *study) torn(t store.Torn) {
	st.mu.Lock()
	st.damaged = append(st.damaged, fmt.Sprintf("%s:%d", t.Path, t.Line))
	st.mu.Unlock()
	st.screen.log.Warn(t.String())
}

// quickstart is the name of the built-in study, where no file has it.
const quickstart = "quickstart"

// load reads the spec alone.
func (f *studyFlags) load() (*spec.Study, error) {
	models, err := fs.Sub(experiments.Files, "models")
	if err != nil {
		return nil, err
	}
	printed, err := book()
	if err != nil {
		return nil, err
	}
	options := spec.Options{
		Builtin: builtinSource, Models: models, Limit: f.Limit, Target: f.Target, Budget: f.Budget,
		Use: f.Use, StandIns: f.ModelOverride, Published: printed.Labels(),
	}
	var s *spec.Study
	if _, statErr := os.Stat(f.Spec); f.Spec == quickstart && errors.Is(statErr, fs.ErrNotExist) {
		s, err = spec.LoadFS(experiments.Files, experiments.Quickstart, options)
	} else {
		s, err = spec.Load(f.Spec, options)
	}
	return s, fault.Spec.Wrap(err)
}

// open reads the spec, its datasets, and the identities of its models.
func (f *studyFlags) open(ctx context.Context, s *streams, r reach) (*study, error) {
	loaded, err := f.load()
	if err != nil {
		return nil, err
	}
	st := &study{
		spec: loaded, flags: f, screen: newScreen(s.err, f.Quiet, f.Log == "json"),
		opens: map[string]func() (backends.Model, error){}, labelModes: map[string]backends.LabelMode{}, olderModes: map[string]backends.LabelMode{},
		models: map[string]records.Facts{}, configs: map[string]backends.Config{},
		sheets: map[string]*question.Sheet{}, sources: map[string]string{},
		facts: map[string]backends.Facts{}, out: f.Out,
		hurry: s.hurry, origins: map[string]analyze.Origin{}, reach: r,
	}
	st.store = store.Open(f.Store, store.Options{Notice: st.torn})
	if st.out == "" {
		st.out = runFolder(loaded)
	}
	for _, w := range loaded.Warnings {
		st.screen.log.Warn(w.String())
	}
	for i := range loaded.Models {
		if err := st.identify(ctx, &loaded.Models[i]); err != nil {
			st.screen.wait()
			return nil, fault.Model.Wrap(st.model(&loaded.Models[i], err))
		}
	}
	if m := loaded.Embedder.Model; m != nil && st.needsVectors() {
		if err := st.identify(ctx, m); err != nil {
			st.screen.wait()
			return nil, fault.Model.Wrap(st.model(m, err))
		}
	}
	if m := loaded.Scorer; m != nil && st.needsScores() {
		if err := st.identify(ctx, m); err != nil {
			st.screen.wait()
			return nil, fault.Model.Wrap(st.model(m, err))
		}
	}
	st.doubtModels()
	for i := range loaded.Datasets {
		if err := st.read(ctx, &loaded.Datasets[i]); err != nil {
			st.screen.wait()
			return nil, fault.Data.Wrap(err)
		}
	}
	return st, nil
}

// read loads a dataset and prepares its questions.
func (st *study) read(ctx context.Context, d *spec.Dataset) error {
	set, source, err := st.load(ctx, d)
	if err != nil {
		if !strings.Contains(err.Error(), "dataset "+d.Name) {
			err = fmt.Errorf("dataset %s: %w", d.Name, err)
		}
		return st.placed(d, err)
	}
	if set == nil {
		return nil // away
	}
	// Whether there is enough to fit and to test is known before any call.
	if n := len(set.Examples); split.Floor(d.Split.Fit, n) < 1 || split.Floor(d.Split.Fit, n) >= n {
		return fault.Spec.Wrap(st.spec.At(spec.OfDatasets, d.Name, fmt.Errorf("dataset %s: fit = %v of %d records leaves no record to fit or none to test",
			d.Name, d.Split.Fit, n), "use more records, or another share", "split.fit"))
	}
	for _, row := range set.Skipped {
		st.screen.log.Warn("row skipped", "dataset", d.Name, "row", row.Row, "reason", row.Reason)
	}
	sheet, err := question.New(d, set)
	if err != nil {
		return st.spec.At(spec.OfDatasets, d.Name, err, "", "prompt")
	}
	if err := st.doubtTexts(d, sheet); err != nil {
		return err
	}
	sheet.LabelModes = st.labelModes
	st.sheets[d.Name], st.sources[d.Name] = sheet, source
	return nil
}

// model gives an error of a model's folder or recorded answers the line of the
// spec that names them. What is wrong with the store or an interruption is no
// mistake of the spec.
func (st *study) model(m *spec.Model, err error) error {
	if c := code(err); c == ExitStore || c == ExitInterrupted {
		return err
	}
	var setting *dataset.SettingError
	if errors.As(err, &setting) && setting.Key == "delimiter" { // of recorded answers
		fix := strings.Replace(setting.Fix, "delimiter", "answers_delimiter", 1)
		return st.spec.At(spec.OfModels, m.Name, fmt.Errorf("model %s: answers %s: %w", m.Name, m.Answers.Text, setting.Err), fix, "answers_delimiter", "answers")
	}
	return st.spec.At(spec.OfModels, m.Name, err, "", "path", "answers", "id")
}

// placed gives an error of a dataset's rows the line of the spec that it
// contradicts: the setting that the reader names, else the source.
func (st *study) placed(d *spec.Dataset, err error) error {
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
	if key == "delimiter" {
		keys = append(keys, "source")
	}
	return st.spec.At(spec.OfDatasets, d.Name, err, fix, keys...)
}

// load returns the examples of a dataset, and the hash of its source: the
// identity under which answers are stored, so that studies that use more or
// fewer rows of one source share them.
//
// The set is nil where the rows are on the hub and the command does without.
func (st *study) load(ctx context.Context, d *spec.Dataset) (*dataset.Set, string, error) {
	if d.Source.Scheme == spec.Builtin {
		generator, err := builtin.Lookup(d.Source.Name)
		if err != nil {
			return nil, "", err
		}
		n := d.Split.Limit
		if n == 0 {
			n = defaultBuiltinRows
		}
		examples, err := generator.Examples(builtin.Study, st.spec.Seed, n)
		if err != nil {
			return nil, "", err
		}
		copies := 0
		if d.Dedupe {
			examples, copies = dataset.First(examples, promptFields(d))
		}
		set, err := dataset.New(d.Name, examples)
		if set != nil {
			set.Copies = copies
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "builtin:%s seed %d", d.Source.Name, st.spec.Seed))
		return set, hex.EncodeToString(sum[:]), err
	}
	if d.Source.Scheme == spec.Hub {
		return st.fetchRows(ctx, d)
	}
	hash, err := hashFile(st.spec.FS, d.Source.Name)
	if err != nil {
		return nil, "", err
	}
	set, err := files.Load(ctx, loadOptions(st.spec, d))
	return set, hash, err
}

// defaultBuiltinRows is the length of a built-in dataset without a limit.
const defaultBuiltinRows = 1000

// loadOptions translates a spec's dataset.
func loadOptions(s *spec.Study, d *spec.Dataset) files.Options {
	o := files.Options{
		Name: d.Name, Path: d.Source.Name, FS: s.FS, OnBad: d.OnBadRow, Limit: d.Split.Limit,
		Labels: d.Labels, Separator: d.Delimiter,
		Mapping: files.Mapping{Fields: map[string]string{}, ID: d.IDColumn, Class: d.LabelColumn, References: d.ReferenceColumn, Group: d.GroupColumn},
	}
	for _, f := range d.Fields {
		o.Mapping.Fields[f.Name] = f.Column
	}
	if d.Dedupe {
		o.Dedupe = promptFields(d)
	}
	if d.Split.Order == spec.Shuffle {
		o.Rank = func(id string) uint64 { return seed.Hash(s.Seed, "sample", d.Name, id) }
	}
	return o
}

// hashFile returns the SHA-256 of a file's bytes, hexadecimal.
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

// builtinSource tells the spec what a generator says of itself.
func builtinSource(name string) (spec.BuiltinSource, error) {
	g, err := builtin.Lookup(name)
	if err != nil {
		return spec.BuiltinSource{}, err
	}
	out := spec.BuiltinSource{Prompt: g.Prompt, Fields: g.Fields, MaxTokens: g.MaxTokens}
	if err := out.Task.UnmarshalText([]byte(g.Task)); err != nil {
		return out, err
	}
	for _, l := range g.Labels {
		out.Labels = append(out.Labels, spec.Label{Class: l.Class, Word: strings.TrimPrefix(l.Word, " ")})
	}
	return out, nil
}
