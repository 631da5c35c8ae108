package importer

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/recorded"
)

// usual are the names by which a column of recorded answers is recognised, best first, by the key of a model's columns.
func usual(key string) []string { return dataset.Names(dataset.Recording, dataset.Role(key)) }

// ofQuestions is the column of a file of questions that has a role.
func ofQuestions(have []string, role dataset.Role, taken ...string) string {
	return dataset.Find(have, dataset.Names(dataset.Questions, role), taken...)
}

// Keys lists the roles that a column can be given.
func Keys() []string { return dataset.Roles(dataset.Recording) }

// Recorded reports whether a file is a log of answers, or what nothing else reads: not a table. A Parquet file is a
// table.
func Recorded(ctx context.Context, path string) bool {
	if strings.HasSuffix(strings.ToLower(path), ".parquet") {
		return false
	}
	format, err := recorded.Detect(ctx, recorded.Options{Path: path})
	return err != nil || format != backends.AnswersTable
}

// Answers reports whether a table with these columns has models' answers: one of a confidence, a grade, a cost, a time
// or a model's name, in whatever case.
func Answers(names []string) bool {
	return slices.ContainsFunc(strings.Fields("model cost latency latency_ms probs "+graded+sure),
		func(key string) bool { return dataset.Find(names, usual(key)) != "" })
}

// Roles of columns: of grades, of confidences, of all that an answer may have, and of what only answers have.
const (
	graded = "correct score "
	sure   = "confidence logprob token_logprobs "
	all    = graded + sure + "text label probs"
	marks  = graded + sure + "model probs cost completion_tokens"
)

// has reports whether a view has a column of one of the roles.
func (v view) has(roles string) bool {
	return slices.ContainsFunc(strings.Fields(roles), func(key string) bool { return v.columns[key] != "" })
}

// view is one model's part of a table.
type view struct {
	model   string // "" = the file's name, or the column
	columns map[string]string
	unsure  string // a column of labels that may be what the model said or what is right
}

// named is the column that was named for a key, if the table has it; a path leads into one.
func (o Options) named(key string, have []string) string {
	c := o.Columns[key]
	top, _, _ := strings.Cut(strings.ReplaceAll(c, "[", "."), ".")
	if slices.Contains(have, c) || slices.Contains(have, top) {
		return c
	}
	return ""
}

// views recognises the models of a table: one, one by a column that says whose the row is, or in a wide table
// columns for each.
func (o Options) views(have []string) []view {
	if wide := o.wide(have); len(wide) > 0 {
		return wide
	}
	v := view{columns: map[string]string{}}
	taken := slices.Collect(maps.Values(o.Columns))
	for _, key := range Keys() {
		c := cmp.Or(o.named(key, have), dataset.Find(have, usual(key), taken...))
		if c != "" && (key != "score" || v.columns["correct"] == "" || o.Columns["score"] != "") {
			v.columns[key] = c
			taken = append(taken, c)
		}
	}
	if o.Columns["latency"] != "" {
		delete(v.columns, "latency_ms")
	}
	v.timedOnce()
	if v.has("text probs") && o.Columns["label"] == "" && v.columns["reference"] == "" {
		v.unsure = v.columns["label"]
		delete(v.columns, "label")
	}
	return []view{v}
}

// wide recognises tables with a row per query and columns per model: M, M|model_response and M|total_cost, as
// RouterBench writes them, or M_correct with M_confidence, M_cost and the like; or, of two models or more, M_score with
// such a column. A single table may have a column such as rouge_score, which is no model's.
func (o Options) wide(have []string) (out []view) {
	id := cmp.Or(o.named("id", have), dataset.Find(have, usual("id")))
	if id == "" {
		return nil
	}
	var scored []view
	for _, c := range have {
		if model, ok := strings.CutSuffix(c, "|total_cost"); ok && slices.Contains(have, model) {
			v := view{model: model, columns: map[string]string{"id": id, "score": model, "cost": c}}
			if text := model + "|model_response"; slices.Contains(have, text) {
				v.columns["text"] = text
			}
			out = append(out, v)
		} else if model, ok := strings.CutSuffix(c, "_correct"); ok && model != "is" && model != "" {
			out = append(out, ofModel(have, id, model, "correct"))
		} else if model, ok := strings.CutSuffix(c, "_score"); ok && model != "" {
			if v := ofModel(have, id, model, "score"); len(v.columns) > 2 {
				scored = append(scored, v)
			}
		}
	}
	if len(out) == 0 && len(scored) > 1 && o.Columns["correct"] == "" && o.Columns["score"] == "" {
		return scored
	}
	return out
}

// ofModel is the view of a model whose columns begin with its name. grade is the key of its grade: a table with both
// kinds is read by M_correct.
func ofModel(have []string, id, model, grade string) view {
	v := view{model: model, columns: map[string]string{"id": id, grade: model + "_" + grade}}
	for _, key := range Keys() {
		if key == "correct" || key == "score" || key == "reference" {
			continue
		}
		for _, name := range usual(key) {
			if part := model + "_" + name; v.columns[key] == "" && slices.Contains(have, part) {
				v.columns[key] = part
			}
		}
	}
	v.timedOnce()
	return v
}

// timedOnce keeps the latency in milliseconds where a table has it in seconds too.
func (v view) timedOnce() {
	if v.columns["latency_ms"] != "" {
		delete(v.columns, "latency")
	}
}

func (v view) options(o recorded.Options) recorded.Options {
	o.Facts = recorded.Facts{Wanted: true}
	known := o.Columns.ByRole(&o.Facts.AnswerFacts)
	for key, column := range v.columns {
		// A column with its usual name may be missing from a row, as it may in a run.
		if into := known[dataset.Role(key)]; into != nil && column != key {
			*into = column
		}
	}
	if v.rightLabel() {
		o.Columns.Label = backends.NoColumn
	}
	if v.columns["cost"] != "" && v.columns["currency"] == "" {
		o.Facts.In = "USD"
	}
	o.ModelIn = v.columns["model"]
	return o
}

// rightLabel reports whether the column that a run takes for what the model said holds the right answer, or may.
func (v view) rightLabel() bool { return v.columns["reference"] == "label" || v.unsure == "label" }

// roles lists the columns of a view; written are those that the study has to name.
func (v view) roles() (all, written []Role) {
	if v.rightLabel() {
		written = append(written, Role{Key: "label"})
	}
	for _, key := range slices.Sorted(maps.Keys(v.columns)) {
		r := Role{Column: v.columns[key], Key: key, Model: v.model}
		all = append(all, r)
		if key == "reference" {
			continue // of the question
		}
		if r.Column != key && !(key == "cost" && r.Column == "cost_usd") {
			written = append(written, r)
		}
	}
	return all, written
}
