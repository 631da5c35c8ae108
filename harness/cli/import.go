package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infnet/harness/fault"
	"infnet/harness/importer"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// importCommand writes the study that replays recorded answers.
type importCommand struct {
	Files  []string          `arg:"" help:"Recorded answers: tables (CSV, TSV, JSONL, Parquet), samples of lm-evaluation-harness, Inspect logs (.eval, JSON), Every Eval Ever (aggregates or instances), results of LLMRouterBench; and the table of the questions, if there is one." name:"FILE"`
	Out    string            `short:"o" help:"Study to write; the questions go next to it unless a file holds them. Default: NAME.toml." placeholder:"FILE"`
	Name   string            `help:"Name of the study. Default: recorded." placeholder:"NAME"`
	Filter string            `help:"The filter of lm-evaluation-harness whose answers count, or the scorer of Inspect whose grades do, where there are several." placeholder:"NAME"`
	Column map[string]string `help:"What a column of a table means, as KEY=COLUMN with the keys of a model's columns: id, text, correct, score, confidence, logprob, cost, latency, model, …; repeatable." mapsep:"none"`
}

func (c *importCommand) Run(ctx context.Context, s *streams) error {
	name := cmp.Or(c.Name, "recorded")
	if why := spec.NameFault(name); why != "" {
		return fault.Usage.Wrap(fmt.Errorf("the name %q %s", name, why))
	}
	for key := range c.Column {
		if !slices.Contains(importer.Keys(), key) {
			return fault.Usage.Wrap(fmt.Errorf("--column %s=%s: no such key; want one of %s", key, c.Column[key],
				strings.Join(importer.Keys(), ", ")))
		}
	}
	out := cmp.Or(c.Out, name+".toml")
	questions := strings.TrimSuffix(out, ".toml") + ".questions.jsonl"
	for _, path := range []string{out, questions} {
		if _, err := os.Stat(path); err == nil {
			return fault.Usage.Wrap(fmt.Errorf("%s exists: name another study with --out, or remove it", path))
		}
	}
	o := importer.Options{Name: name, Files: c.Files, Columns: c.Column, Filter: c.Filter, Out: out}
	found, err := collectQuestions(ctx, o, questions)
	if err != nil {
		return fault.Data.Wrap(err)
	}
	printFound(s, found)
	text, err := found.Study(filepath.Dir(out), filepath.Base(questions))
	if err == nil {
		err = store.WriteFile(out, []byte(text))
	}
	if err != nil {
		if found.Questions.Path == "" {
			err = errors.Join(err, os.Remove(questions)) // nothing names it
		}
		return fault.Data.Wrap(err)
	}
	prose(s.out, "\n%s written; look at the lines marked \"check:\", then: infnet run %s\n", out, out)
	return nil
}

// collectQuestions imports the files, and writes the questions where no file holds them.
func collectQuestions(ctx context.Context, o importer.Options, path string) (*importer.Found, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	found, err := importer.Import(ctx, o, func(line []byte) error {
		_, err := w.Write(line)
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil || found.Questions.Path != "" {
		err = errors.Join(err, os.Remove(path))
	}
	return found, err
}

// printFound says what the files hold.
func printFound(s *streams, f *importer.Found) {
	for _, a := range f.Aggregates {
		fmt.Fprintf(s.out, "%s: aggregate of Every Eval Ever, %s\n", a.Path, a.String())
	}
	var before []importer.Role
	for _, file := range f.Files {
		format := cmp.Or(string(file.Format), "questions")
		fmt.Fprintf(s.out, "%s: %s, %d rows\n", file.Path, format, file.Rows)
		if len(file.Roles) > 0 && slices.Equal(file.Roles, before) {
			fmt.Fprintln(s.out, "  the same columns")
			continue
		}
		before = file.Roles
		for _, r := range file.Roles {
			of := ""
			if r.Model != "" {
				of = " of " + r.Model
			}
			fmt.Fprintf(s.out, "  %-20s %s%s\n", r.Column, r.Key, of)
		}
	}
	fmt.Fprintf(s.out, "\n%d questions, %d answered by every model\n", f.Questions.N, f.Questions.Everybody)
	for _, m := range f.Models {
		fmt.Fprintf(s.out, "  %s: %d answers", m.Name, m.Rows)
		if m.Graded > 0 {
			fmt.Fprintf(s.out, ", %s", graded(m))
		}
		if m.Costed > 0 {
			fmt.Fprintf(s.out, ", %.4g %s each", m.Cost/float64(m.Costed), m.Currency)
		}
		fmt.Fprintln(s.out)
	}
	for _, r := range f.Remarks {
		prose(s.out, "check: %s", r)
	}
}

// graded says how good a model's answers are: the share of right ones, or the mean where grades lie between.
func graded(m *importer.Model) string {
	mean := m.Right / float64(m.Graded)
	if m.Partly {
		return fmt.Sprintf("mean grade %.4f", mean)
	}
	return fmt.Sprintf("%.2f %% right", 100*mean)
}
