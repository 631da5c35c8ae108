package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/choice"
	"infnet/harness/dataset"
	"infnet/harness/spec/place"
)

// kind describes one kind of backend in a spec: its keys, their checks, and the configuration of
// its models.
type kind struct {
	name  backends.Kind
	title string // in messages

	own bool // models name it as their backend, without a table

	// table checks a [backends.NAME] table and returns the settings that its models share; nil =
	// nothing to check.
	table func(b *backend, s *Study) any
	// model checks a model, and fills in how to open it. b is nil without a
	// table.
	model func(c *modelCheck, d *definition, m *Model, b *backend)
	// unshaped is the key, the message and the fix for a model without a shape if costs are FLOPs; without a message, the
	// key is missing, without a key nothing is wrong.
	unshaped [3]string
	// chained reports by wrong what is wrong with a model in a cascade; nil = nothing to check.
	chained func(l link, wrong func(message, hint string))
}

// remark is a message and what to do about it.
type remark struct{ message, hint string }

// link is a model of a cascade.
type link struct {
	model      *Model
	student    bool // any but the last whose log-probabilities decide
	datasets   []*Dataset
	classifies bool // some dataset is a classification
}

// kinds is the table of kinds, those without a [backends] table first.
func kinds() []*kind {
	const other = "choose another cost.model: price, tokens, latency, fixed"
	silent := func(who string) [3]string {
		return [3]string{"backend", "cost.model = \"tflops\" counts the network's work, and " + who +
			" says nothing of its network", other}
	}
	return []*kind{
		{name: backends.Local, title: "a local model", own: true, model: folderModel},
		{name: backends.Encoder, title: "an encoder", own: true, model: folderModel}, // only embeds
		{name: backends.BART, title: "a scorer", own: true, model: folderModel},      // only scores
		{name: backends.Simulated, title: "a simulated model", own: true, model: checkSimulated,
			unshaped: [3]string{"backend", "a simulated model has no network whose FLOPs could be counted, and cost.model is " +
				"\"tflops\"", "set cost.model = \"fixed\" and a fixed_cost for every model, or \"tokens\""}},
		{name: backends.Replay, title: "a model of recorded answers", own: true, model: checkReplay,
			unshaped: [3]string{"shape", "", "cost.model = \"tflops\" counts the network's work: give the shape and record " +
				"prompt_tokens and completion_tokens, or set cost.model = \"fixed\" and a fixed_cost for every model"}},
		{name: backends.OpenAI, title: "a server", table: checkOpenAI, model: openAIModel, chained: checkChained,
			unshaped: [3]string{"shape", "", "cost.model = \"tflops\" counts the network's work: shape = \"gemma3-4b\" for a " +
				"known one, or the folder of the model's config.json; or " + other}},
		{name: backends.HuggingFace, title: "a Hugging Face endpoint", table: checkHuggingFace, model: huggingFaceModel,
			chained: checkEndpointTasks},
		{name: backends.Hosted, title: "a provider", table: checkHosted, model: hostedModel, chained: checkHostedChain,
			unshaped: silent("a provider")},
		{name: backends.Decisions, title: "a server of decision models", table: checkDecisions, model: decisionsModel,
			chained: checkDecisionsChain, unshaped: silent("a server of decision models")},
	}
}

func kindOf(name backends.Kind) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return k
		}
	}
	return nil
}

// ownKinds are the kinds that models may name directly.
func ownKinds() []string {
	var out []string
	for _, k := range kinds() {
		if k.own {
			out = append(out, string(k.name))
		}
	}
	return out
}

// rawKind is a kind that a [backends] table may have.
type rawKind backends.Kind

// tableKinds are the kinds that a [backends] table may have: those that it has keys for.
func tableKinds() []rawKind {
	var out []rawKind
	for _, k := range kinds() {
		for o := range options(reflect.ValueOf(&rawBackend{}).Elem()) {
			if o.tag.Get("for") != "" && o.of(k) {
				out = append(out, rawKind(k.name))
				break
			}
		}
	}
	return out
}

// UnmarshalText accepts the name of a kind.
func (k *rawKind) UnmarshalText(b []byte) error {
	return choice.Decode(k, b, "backend kind", tableKinds())
}

// of reports whether models or tables of a kind have the option.
func (o option) of(k *kind) bool {
	kinds := strings.Fields(o.tag.Get("for"))
	return len(kinds) == 0 || slices.Contains(kinds, string(k.name))
}

// strays reports the keys of a table that its kind does not have.
func (k *kind) strays(f *file, at string, table any) {
	for o := range options(reflect.ValueOf(table).Elem()) {
		if key := place.Join(at, o.key); !o.of(k) && f.text.Has(key) && !f.bad[key] {
			hint := "it is for backends of kind " + choice.And(strings.Fields(o.tag.Get("for"))) + "; leave it out"
			if fix := o.tag.Get("stray"); fix != "" {
				hint += ", or " + fix
			}
			f.misplaced(key, "this key is not for "+k.title, hint)
		}
	}
}

// checkSimulated checks a model drawn from a stated joint distribution. Its revision is equal only for equal
// distributions, so that answers are never mixed up.
func checkSimulated(c *modelCheck, d *definition, m *Model, _ *backend) {
	if m.Simulated == nil {
		d.missing("simulated", "simulated = { alpha = 4, beta = 2, intercept = 0.6, slope = -0.6 }")
		return
	}
	s := *m.Simulated
	s.Params, s.Seed = m.Params, c.study.Seed
	sum := sha256.Sum256(fmt.Appendf(nil, "infnet simulated 1 %x %x %x %x %x %x %d", s.Alpha, s.Beta, s.Intercept, s.Slope,
		s.Rho, s.Params, s.Seed))
	m.Config.Settings, m.Config.Model.Revision = &s, hex.EncodeToString(sum[:16])
}

func checkReplay(_ *modelCheck, d *definition, m *Model, _ *backend) {
	a := m.Replay
	if a.Text == "" {
		d.missing("answers", "answers = \"file.jsonl\": the file of recorded answers")
		return
	}
	m.Config.Settings = &backends.ReplayConfig{Source: a.Text} // whoever opens the model reads the answers
	m.Recording = &a
	if a.Delimiter != 0 && !isCSV(a.Text) {
		d.wrong("answers_delimiter", fmt.Sprintf("%s has no delimiter to choose", a.Text),
			"leave it out; it is for files named .csv")
	}
	a.Ties, a.Facts.NullIsLow = a.NoConfidence == "tie", a.NullLogprob == "-inf"
	a.Facts.CachedApart = slices.Contains(a.CountedApart, "cached")
	a.Facts.ReasoningApart = slices.Contains(a.CountedApart, "reasoning")
	checkAnswerColumns(d, &a)
	a.File = answersFile(d, "answers", a.Text)
	for i, text := range a.Also {
		a.AlsoFiles = append(a.AlsoFiles, answersFile(d, place.Element("answers_also", i), text))
	}
}

func answersFile(d *definition, key, written string) string {
	where, ok := d.file.path(d.at+"."+key, written)
	if !ok {
		return ""
	}
	if info, err := d.file.fsys.stat(where); err != nil {
		d.wrong(key, fmt.Sprintf("cannot find the answers %s: %s", where, reason(err)),
			relativePaths)
	} else if info.IsDir() {
		d.wrong(key, fmt.Sprintf("%s is a folder", where), "name the file of the answers")
	}
	return where
}

func checkAnswerColumns(d *definition, a *Recording) {
	c, known := &a.Columns, a.Columns.ByRole(&a.Facts)
	known["model"] = &a.ModelIn
	wrong := func(what, message, hint string) { d.file.wrong(place.Join(d.at+".columns", what), message, hint) }
	for _, what := range slices.Sorted(maps.Keys(a.Named)) {
		column, into := a.Named[what], known[dataset.Role(what)]
		if into == nil {
			var names []string
			for role := range known {
				names = append(names, string(role))
			}
			slices.Sort(names)
			wrong(what, fmt.Sprintf("no column holds %q", what), place.Suggest(what, names))
			continue
		}
		if what == "label" && column == "" {
			c.Label = backends.NoColumn
			continue
		}
		if _, err := dataset.ParsePath(column); err != nil {
			wrong(what, err.Error(), "name a column, such as \"answer\" or \"output.text\"")
			continue
		}
		switch a.Format {
		case backends.AnswersInspect, backends.AnswersEvalEver, backends.AnswersRouterBench:
			wrong(what, fmt.Sprintf("a file of the format %s has no columns to name", a.Format),
				"leave it out, or set answers_format = \"table\"")
		case backends.AnswersLMEval:
			if what != "id" && what != "correct" && what != "score" {
				wrong(what, "lm-eval samples have columns of their own; only id, correct and score can be named",
					"leave it out, or set answers_format = \"table\"")
			}
		}
		*into = column
	}
	for _, both := range [][3]string{{"logprobs", c.Probs, c.Logprobs}, {"latency_ms", c.Latency, a.Facts.LatencyMS},
		{"score", a.Facts.Correct, a.Facts.Score}} {
		if both[1] != "" && both[2] != "" {
			wrong(both[0], fmt.Sprintf("the columns %q and %q say one fact twice", both[1], both[2]), "name one of them")
		}
	}
}
