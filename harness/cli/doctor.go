package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/backends"
	"infnet/harness/doctor"
	"infnet/harness/fault"
	learn "infnet/harness/router"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/reports/table"
)

// doctorCommand examines a study's models.
type doctorCommand struct {
	studyFlags
	Only string `help:"Examine this model alone." placeholder:"MODEL"`
}

// Run examines every model, and the embedder, the scorer and the encoders that
// baselines fine-tune where the study has use for them:
// a line for each question, with ✓, ?, ! or ✗ and for the last two the fix. It
// stores nothing. The error is for a study that could not run.
func (c *doctorCommand) Run(ctx context.Context, s *streams) error {
	st, err := c.open(ctx, s, looked)
	if err != nil {
		return err
	}
	if c.Only != "" {
		if _, known := st.spec.Model(c.Only); !known {
			return fault.Usage.Wrap(fmt.Errorf("no model of the study is named %q: it has %s", c.Only, strings.Join(modelNames(st.spec), ", ")))
		}
	}
	broken := 0
	for i := range st.spec.Models {
		m := &st.spec.Models[i]
		if c.Only != "" && m.Name != c.Only {
			continue
		}
		fmt.Fprintf(s.out, "%s (%s)\n", m.Name, m.Config.Model.Kind)
		broken += show(s.out, st.examine(ctx, m))
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if c.Only == "" && st.needsVectors() {
		fmt.Fprintf(s.out, "%s (embedder)\n", st.embedJob().Name)
		broken += show(s.out, st.examineEmbedder(ctx))
	}
	if c.Only == "" && st.needsScores() {
		fmt.Fprintf(s.out, "%s (scorer)\n", st.spec.Scorer.Name)
		broken += show(s.out, st.examineScorer(ctx))
	}
	if c.Only == "" {
		broken += st.examineEncoders(ctx, s.out)
	}
	st.screen.wait()
	if broken > 0 {
		return fault.Model.Wrap(fmt.Errorf("%d finding(s) would stop the study or spoil its numbers: see ✗", broken))
	}
	return nil
}

func modelNames(s *spec.Study) []string {
	out := make([]string, len(s.Models))
	for i, m := range s.Models {
		out[i] = m.Name
	}
	return out
}

// show prints findings, and counts those that would stop a study.
func show(w io.Writer, found []backends.Finding) (broken int) {
	marks := map[backends.Verdict]string{backends.Fine: "✓", backends.Unknown: "?", backends.Doubt: "!", backends.Broken: "✗"}
	width := 0
	for _, f := range found {
		width = max(width, utf8.RuneCountInString(f.Question))
	}
	for _, f := range found {
		fmt.Fprintf(w, "  %s %-*s  %s\n", marks[f.Verdict], width, f.Question, table.Clean(f.Found))
		if f.Fix != "" {
			fmt.Fprintf(w, "    %-*s  → %s\n", width, "", table.Clean(f.Fix))
		}
		if f.Verdict == backends.Broken {
			broken++
		}
	}
	return broken
}

// examine opens a model and examines it.
func (st *study) examine(ctx context.Context, m *spec.Model) []backends.Finding {
	var found []backends.Finding
	if f, gone := st.absent(m); gone {
		return []backends.Finding{f}
	}
	known := st.models[m.Name]
	p := doctor.Patient{Exam: backends.Examination{Mode: m.Mode}, Floor: st.spec.Confidence.LabelMass.Floor}
	if facts := st.facts[m.Name]; facts != nil {
		p.Context = facts.Shape().Context
		found = append(found, backends.Finding{Question: "weights", Found: fmt.Sprintf("%s, %.3g million parameters, content %.12s…", m.Path, 1e3*facts.Shape().Params, known.ID.Revision)})
	}
	for j := range st.spec.Datasets {
		d := &st.spec.Datasets[j]
		sheet := st.sheets[d.Name]
		if !st.asked(m.Name, d.Name) || sheet == nil {
			continue
		}
		p.Exam.Student = p.Exam.Student || st.decides(m.Name, d.Name)
		trial := doctor.Trial{Dataset: d.Name, Question: sheet.Request(0, known.ID, m)}
		for i := range sheet.Set.Examples {
			if prompt := sheet.Request(i, known.ID, m).Prompt; len(prompt) > len(trial.Longest) {
				trial.Longest = prompt
			}
		}
		if d.Task == task.Classification {
			p.Exam.Labels = append(p.Exam.Labels, trial.Question.Labels)
			found = append(found, st.labelTokens(m, d, trial.Question.Prompt)...)
		}
		p.Trials = append(p.Trials, trial)
	}
	model, err := st.openModel(m)
	if err != nil {
		return append(found, backends.Finding{Verdict: backends.Broken, Question: "opened", Found: err.Error()})
	}
	p.Model = model
	return append(found, doctor.Examine(ctx, p)...)
}

// absent is the finding on a model of the hub whose folder is not here.
func (st *study) absent(m *spec.Model) (f backends.Finding, gone bool) {
	if m == nil {
		return f, false
	}
	i := slices.IndexFunc(st.away, func(a away) bool { return a.what == "model "+m.Name })
	if i < 0 {
		return f, false
	}
	return backends.Finding{Verdict: backends.Unknown, Question: "weights", Found: "on the hub, and not on this machine: " + st.away[i].ref, Fix: "infnet collect fetches them"}, true
}

// examineEncoders opens every encoder that a baseline fine-tunes, prints what
// was found and counts those that would stop the study.
func (st *study) examineEncoders(ctx context.Context, w io.Writer) (broken int) {
	tuners := st.tuners(true)
	var seen []string
	for _, b := range st.spec.Baselines {
		if b.Learner != learn.Encoder || !b.Kind.Learns() || slices.Contains(seen, b.Encoder) {
			continue
		}
		seen = append(seen, b.Encoder)
		l, err := tuners.learner(ctx, b)
		f := backends.Finding{Question: "weights", Found: "complete, and of a layout that can be fine-tuned"}
		m, known := st.spec.Encoder(b.Encoder)
		switch {
		case err != nil:
			f = backends.Finding{Verdict: backends.Broken, Question: "weights", Found: err.Error(), Fix: `correct its path, or take learner = "light"`}
		case l == nil && known:
			if f, known = st.absent(m); !known {
				f = backends.Finding{Verdict: backends.Unknown, Question: "weights", Found: "not on this machine", Fix: "infnet run fetches them"}
			}
		}
		fmt.Fprintf(w, "%s (encoder of a baseline)\n", clean(b.Encoder))
		broken += show(w, []backends.Finding{f})
	}
	return broken
}

// labelTokens says whether a model in this process tells a dataset's labels
// apart by their first tokens; servers are asked by their backend.
func (st *study) labelTokens(m *spec.Model, d *spec.Dataset, prompt string) []backends.Finding {
	facts := st.facts[m.Name]
	if facts == nil || m.Mode != backends.Raw {
		return nil
	}
	f := backends.Finding{Question: "label tokens", Found: d.Name + ": " + strings.Join(d.Continuations(), ",") + ": distinct"}
	if err := facts.CheckLabels(prompt, d.Continuations()); err != nil {
		f = backends.Finding{Verdict: backends.Broken, Question: f.Question, Found: d.Name + ": " + err.Error(), Fix: "words that begin differently"}
	}
	return []backends.Finding{f}
}

// examineEmbedder embeds two texts, one of them twice.
func (st *study) examineEmbedder(ctx context.Context) []backends.Finding {
	bad := func(text string) []backends.Finding {
		return []backends.Finding{{Verdict: backends.Broken, Question: "embeddings", Found: text}}
	}
	if f, gone := st.absent(st.spec.Embedder.Model); gone {
		return []backends.Finding{f}
	}
	e, err := st.embedJob().Open()
	if err != nil {
		return bad(err.Error())
	}
	texts := []string{"the film was long", "la pluie tombe", "the film was long"}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return bad(err.Error())
	}
	if len(vectors) != len(texts) {
		return bad(fmt.Sprintf("%d vectors for %d texts", len(vectors), len(texts)))
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return bad(fmt.Sprintf("vectors of %d and of %d numbers", len(vectors[0]), len(v)))
		}
	}
	same, other := 0.0, 0.0
	for i := range vectors[0] {
		same = max(same, math.Abs(float64(vectors[0][i]-vectors[2][i])))
		other = max(other, math.Abs(float64(vectors[0][i]-vectors[1][i])))
	}
	switch {
	case math.IsNaN(same + other):
		return bad("a vector holds what is no number")
	case other == 0:
		return bad("two texts have the same vector")
	case same > 0:
		return []backends.Finding{{Verdict: backends.Doubt, Question: "embeddings", Found: fmt.Sprintf("%d dimensions; the same text twice differs by up to %.2g", len(vectors[0]), same)}}
	}
	return []backends.Finding{{Question: "embeddings", Found: fmt.Sprintf("%d dimensions; the same text has the same vector", len(vectors[0]))}}
}

// examineScorer scores a text after itself and after another, the first twice.
func (st *study) examineScorer(ctx context.Context) []backends.Finding {
	if f, gone := st.absent(st.spec.Scorer); gone {
		return []backends.Finding{f}
	}
	f := backends.Finding{Verdict: backends.Broken, Question: "scores"}
	scorer, err := st.openScorer(st.spec.Scorer)
	if err != nil {
		f.Found = err.Error()
		return []backends.Finding{f}
	}
	const text = "the film was long"
	itself, other := backends.Pair{Source: text, Target: text}, backends.Pair{Source: "the rain falls", Target: text}
	scores, err := scorer.Score(ctx, []backends.Pair{itself, other, itself})
	switch {
	case err != nil:
		f.Found = err.Error()
	case len(scores) != 3:
		f.Found = fmt.Sprintf("not one score for each of 3 pairs: %v", scores)
	case scores[0] == scores[1]:
		f.Found, f.Fix = "a text scores the same after any other", "look whether the model is complete, and a scorer"
	case float32(scores[0]) != float32(scores[2]): // as they are stored
		f.Verdict, f.Found = backends.Doubt, fmt.Sprintf("the same pair twice differs by %.2g", math.Abs(scores[0]-scores[2]))
		f.Fix = "scores are stored, so tables repeat; a new collection may differ from this one"
	default:
		f.Verdict, f.Found = backends.Fine, fmt.Sprintf("a text scores %.3g after itself, %.3g after another; the same pair has the same score", scores[0], scores[1])
	}
	return []backends.Finding{f}
}
