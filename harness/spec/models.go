package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/cost"
	"infnet/harness/dataset/hub/ref"
	"infnet/harness/spec/place"
)

// model checks one model.
func (l *loader) model(d *definition, s *Study) Model {
	r := &d.file.raw.Models[d.i]
	m := Model{
		Name:     d.name,
		Mode:     backends.Mode(or(r.Mode, rawMode(defaultMode))),
		PriceIn:  l.atLeastZero(d, "price_in", r.PriceIn),
		PriceOut: l.atLeastZero(d, "price_out", r.PriceOut),
		Priced:   r.PriceIn != nil && r.PriceOut != nil,
		Currency: or(r.Currency, defaultCurrency),
		Params:   or(r.Params, 0),
	}
	m.Config.Model = backends.ModelID{ID: or(r.ID, d.name)}
	for _, k := range []struct {
		key string
		p   *string
	}{{"id", r.ID}, {"currency", r.Currency}, {"served", r.Served}} {
		if k.p != nil && *k.p == "" {
			l.bad(d.file, place.Join(d.at, k.key), "the text is empty", "leave the key out")
		}
	}
	if r.FixedCost != nil {
		fixed := l.atLeastZero(d, "fixed_cost", r.FixedCost)
		m.Fixed = &fixed
	}
	if r.Params != nil && m.Params <= 0 {
		l.bad(d.file, d.at+".params", fmt.Sprintf("%v billion parameters", m.Params), "parameters in billions: params = 1.5; leave it out where unknown")
	}
	if r.Backend == nil && r.Answers == nil {
		l.missing(d.file, d.at, "backend", "want one of local, simulated, or the name of a [backends] table; or answers = \"file.jsonl\" for answers recorded elsewhere")
		return m
	}
	l.revision(d, r, &m)
	kind, b := l.backendOf(d, or(r.Backend, string(backends.Replay)))
	if kind == "" {
		return m
	}
	m.Config.Model.Kind = kind
	l.strays(d, r, kind)
	switch kind {
	case backends.Local:
		l.local(d, r, &m, b, s)
	case backends.Encoder:
		l.encoder(d, r, &m, b, s)
	case backends.BART:
		l.bart(d, r, &m, b, s)
	case backends.Simulated:
		l.simulated(d, r, &m, s.Seed)
	case backends.Replay:
		if r.Shape != nil {
			l.stated(d, r, &m)
		}
		l.replay(d, r, &m)
	case backends.OpenAI:
		if r.Shape != nil {
			l.stated(d, r, &m)
		}
		l.server(d, r, b, &m, s)
	case backends.HuggingFace:
		l.endpoint(d, r, b, &m, s)
	}
	return m
}

// stated takes over the shape that a spec states, and the parameters of a
// known one.
func (l *loader) stated(d *definition, r *rawModel, m *Model) {
	m.Shape = l.shape(d, r.Shape)
	if m.Shape == nil {
		return
	}
	if r.Params == nil {
		m.Params = m.Shape.Params
	}
	m.Shape.Params = m.Params
}

// revision checks the version of a model's weights.
func (l *loader) revision(d *definition, r *rawModel, m *Model) {
	if r.Revision == nil {
		return
	}
	m.Config.Model.Revision = *r.Revision
	fault := ""
	switch {
	case *r.Revision == "":
		fault = "the text is empty"
	case len(*r.Revision) > longestRevision:
		fault = fmt.Sprintf("a revision of more than %d characters", longestRevision)
	case strings.ContainsFunc(*r.Revision, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '<' || c == '>' }):
		fault = fmt.Sprintf("the revision %q has a character that revisions must not have", *r.Revision)
	default:
		return
	}
	l.bad(d.file, d.at+".revision", fault, "the hub's commit, such as dcc83ea841ab6100d6b47a070329e1ba4cf78752, or a word of yours; no blanks")
}

const longestRevision = 200

// strays reports the keys of a model that its backend gives no meaning.
func (l *loader) strays(d *definition, r *rawModel, k backends.Kind) {
	local, simulated := k == backends.Local || k == backends.Encoder || k == backends.BART, k == backends.Simulated
	recorded := k == backends.Replay
	server := !local && !simulated && !recorded
	for _, s := range []struct {
		key     string
		stray   bool
		message string
		hint    string
	}{
		{"path", r.Path != nil && simulated, "a simulated model has no folder", "leave it out, or set backend = \"local\""},
		{"path", r.Path != nil && server, "a model behind a server has no folder here", "leave it out, or set backend = \"local\"; the model's name on the server is served = …"},
		{"path", r.Path != nil && recorded, "recorded answers need no folder", "leave it out; the file is answers = …"},
		{"simulated", r.Simulated != nil && recorded, "recorded answers simulate nothing", "leave it out, or set backend = \"simulated\" and leave answers out"},
		{"served", r.Served != nil && recorded, "recorded answers are asked of no server", "leave it out"},
		{"revision", r.Revision != nil && recorded, "the revision of recorded answers is their file's content", "leave it out"},
		{"answers", r.Answers != nil && !recorded, fmt.Sprintf("this model is computed (%s), and its answers are not recorded", k), "leave it out, or set backend = \"replay\""},
		{"answers_format", r.AnswersFormat != nil && !recorded, "this is for recorded answers", "leave it out, or name their file: answers = …"},
		{"answers_filter", r.AnswersFilter != nil && !recorded, "this is for recorded answers", "leave it out, or name their file: answers = …"},
		{"answers_delimiter", r.AnswersDelim != nil && !recorded, "this is for recorded answers", "leave it out, or name their file: answers = …"},
		{"columns", r.Columns != nil && !recorded, "this is for recorded answers", "leave it out, or name their file: answers = …"},
		{"simulated", r.Simulated != nil && local, "a local model simulates nothing", "leave it out, or set backend = \"simulated\""},
		{"simulated", r.Simulated != nil && server, "a model behind a server simulates nothing", "leave it out, or set backend = \"simulated\""},
		{"served", r.Served != nil && (local || simulated), fmt.Sprintf("a %s model is on no server", k), "leave it out"},
		{"served", r.Served != nil && k == backends.HuggingFace, "an endpoint's URL says which model it is", "leave it out"},
		{"shape", r.Shape != nil && k == backends.HuggingFace, "an endpoint counts no tokens, so its work cannot be counted", "leave it out, and set cost.model = \"latency\" or \"fixed\""},
		{"revision", r.Revision != nil && simulated, "a simulated model's revision follows from its distribution", "leave it out"},
		{"shape", r.Shape != nil && local, "a local model's shape is read from its config.json", "leave it out"},
		{"shape", r.Shape != nil && simulated, "a simulated model has no network", "leave it out"},
	} {
		if s.stray {
			l.bad(d.file, place.Join(d.at, s.key), s.message, s.hint)
		}
	}
}

func (l *loader) local(d *definition, r *rawModel, m *Model, b *backend, s *Study) {
	if b != nil {
		l.check(b, s)
		threads := int(l.given(b.file, b.at+".threads", b.raw.Threads, 1024))
		batch := int(l.given(b.file, b.at+".batch", b.raw.Batch, 4096))
		defer func() {
			if m.Config.Local != nil {
				m.Config.Local.Threads, m.Config.Local.Batch = threads, batch
			}
		}()
	}
	if r.Path == nil {
		l.missing(d.file, d.at, "path", "the folder with config.json, *.safetensors and tokenizer.model or tokenizer.json")
		return
	}
	m.Path, m.FS = *r.Path, l.fsys.system()
	if name, ok := strings.CutPrefix(*r.Path, "builtin:"); ok {
		l.builtinModel(d, m, name)
		return
	}
	if strings.HasPrefix(*r.Path, ref.Scheme) {
		l.hubModel(d, r, m)
		return
	}
	where, ok := l.path(d.file, d.at+".path", *r.Path)
	if !ok {
		return
	}
	m.Config.Local = &backends.LocalConfig{Path: where}
	if info, err := l.fsys.stat(where); err != nil {
		l.bad(d.file, d.at+".path", fmt.Sprintf("cannot find the model folder %s: %s", where, reason(err)), "paths are relative to the file they stand in")
	} else if !info.IsDir() {
		l.bad(d.file, d.at+".path", fmt.Sprintf("%s is a file", where), "name the folder that holds config.json")
	}
}

// hubModel checks the reference of a model on the hub; nothing is asked of the
// hub. Without an id the model has the hub's.
func (l *loader) hubModel(d *definition, r *rawModel, m *Model) {
	found, err := ref.ParseModel(*r.Path)
	if err != nil {
		l.bad(d.file, d.at+".path", err.Error(), "hf:OWNER/NAME@REVISION, such as hf:google/gemma-3-270m-it@main; a folder of such a name is ./hf:…")
		return
	}
	if r.Revision != nil {
		l.bad(d.file, d.at+".revision", "a model on the hub has its revision in its path", fmt.Sprintf("leave it out, and write path = \"hf:%s@REVISION\"", found.Repo))
	}
	if r.ID == nil {
		m.Config.Model.ID = found.Repo
	}
	m.FS, m.Hub = nil, found.String()
	m.Config.Local = &backends.LocalConfig{}
}

// builtinModel finds a model that comes with infnet.
func (l *loader) builtinModel(d *definition, m *Model, name string) {
	var names []string
	if l.options.Models != nil {
		entries, _ := fs.ReadDir(l.options.Models, ".")
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
	}
	if !slices.Contains(names, name) {
		hint := "there are none here; name a folder"
		if len(names) > 0 {
			hint = place.Suggest(name, names)
		}
		l.bad(d.file, d.at+".path", fmt.Sprintf("no built-in model %q", name), hint)
		return
	}
	m.FS = l.options.Models
	m.Config.Local = &backends.LocalConfig{Path: name}
}

func (l *loader) simulated(d *definition, r *rawModel, m *Model, seed uint64) {
	if r.Simulated == nil {
		l.missing(d.file, d.at, "simulated", "simulated = { alpha = 4, beta = 2, intercept = 0.6, slope = -0.6 }")
		return
	}
	q, at := r.Simulated, d.at+".simulated"
	for _, k := range []struct {
		key string
		p   *float64
	}{{"alpha", q.Alpha}, {"beta", q.Beta}, {"intercept", q.Intercept}} {
		if k.p == nil {
			l.missing(d.file, at, k.key, "")
		} else if k.key != "intercept" && *k.p <= 0 {
			l.bad(d.file, place.Join(at, k.key), fmt.Sprintf("the shape %v of a Beta distribution", *k.p), "shapes are above zero")
		}
	}
	m.Config.Simulated = &backends.SimulatedConfig{
		Alpha: or(q.Alpha, 1), Beta: or(q.Beta, 1), Intercept: or(q.Intercept, 0), Slope: or(q.Slope, 0),
		Rho: l.share(d.file, at+".rho", q.Rho, 0), Params: m.Params, Seed: seed,
	}
	m.Config.Model.Revision = distribution(*m.Config.Simulated)
}

// distribution is the revision of a simulated model: equal for equal
// distributions, so that no answer of one is taken for another's.
func distribution(c backends.SimulatedConfig) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "infnet simulated 1 %x %x %x %x %x %x %d", c.Alpha, c.Beta, c.Intercept, c.Slope, c.Rho, c.Params, c.Seed))
	return hex.EncodeToString(sum[:16])
}

func (l *loader) atLeastZero(d *definition, key string, p *float64) float64 {
	v := or(p, 0)
	if v < 0 || math.Signbit(v) {
		l.bad(d.file, place.Join(d.at, key), fmt.Sprintf("%v is negative", v), "zero or more")
	}
	return v
}

// costs checks that every model in use says what the cost model asks.
func (l *loader) costs(s *Study, models []*definition) {
	currency := ""
	for _, d := range models {
		i := slices.IndexFunc(s.Models, func(m Model) bool { return m.Name == d.name })
		if !d.used || i < 0 {
			continue
		}
		m := &s.Models[i]
		if k := s.Cost.Model; m.Config.Model.Kind == backends.HuggingFace && k != cost.Latency && k != cost.Fixed {
			l.bad(d.file, d.at+".backend", fmt.Sprintf("a Hugging Face endpoint counts no tokens, and cost.model is %q", k), "set cost.model = \"latency\", or \"fixed\" and a fixed_cost for every model")
			continue
		}
		switch s.Cost.Model {
		case cost.Price:
			l.prices(d, m)
			switch {
			case !m.Priced:
			case currency == "":
				currency = m.Currency
			case m.Currency != currency:
				l.bad(d.file, d.at+".currency", fmt.Sprintf("prices in %s beside prices in %s cannot be compared", m.Currency, currency), "give all prices of a study in one currency")
			}
		case cost.Fixed:
			if m.Fixed == nil {
				l.missing(d.file, d.at, "fixed_cost", "cost.model = \"fixed\" needs it of every model in use")
			} else if *m.Fixed == 0 {
				l.bad(d.file, d.at+".fixed_cost", "an answer that costs nothing", "savings are relative to costs: give a number above zero")
			}
		case cost.TFLOPs:
			switch m.Config.Model.Kind {
			case backends.OpenAI:
				if m.Shape == nil {
					l.missing(d.file, d.at, "shape", "cost.model = \"tflops\" counts the network's work: shape = \"gemma3-4b\" for a known one, or a table with the numbers of the model's config.json; or choose another cost.model: price, tokens, latency, fixed")
				}
			case backends.Replay:
				if m.Shape == nil {
					l.missing(d.file, d.at, "shape", "cost.model = \"tflops\" counts the network's work: give the shape and record prompt_tokens and completion_tokens, or set cost.model = \"fixed\" and a fixed_cost for every model")
				}
			case backends.Simulated:
				l.bad(d.file, d.at+".backend", "a simulated model has no network whose FLOPs could be counted, and cost.model is \"tflops\"", "set cost.model = \"fixed\" and a fixed_cost for every model, or \"tokens\"")
			}
		}
		if s.Cost.Summary == cost.Signature && m.Params > 0 && m.Params < 1 {
			l.bad(d.file, d.at+".params", fmt.Sprintf("%v billion parameters with cost.summary = \"signature\": it is undefined below one billion, where its factor turns negative", m.Params), "use summary = \"mean\" or \"median\"")
		}
		wrong := m.Shape == nil && d.file.text.Has(d.at+".shape") // reported, and perhaps a known one
		if k := m.Config.Model.Kind; s.Cost.Summary == cost.Signature && m.Params == 0 && k != backends.Local && k != "" && !wrong {
			l.missing(d.file, d.at, "params", "cost.summary = \"signature\" needs the number of parameters, in billions: params = 4")
		}
	}
}

func (l *loader) prices(d *definition, m *Model) {
	r := &d.file.raw.Models[d.i]
	for _, k := range []struct {
		key string
		p   *float64
	}{{"price_in", r.PriceIn}, {"price_out", r.PriceOut}} {
		if k.p == nil {
			l.missing(d.file, d.at, k.key, "cost.model = \"price\" needs the prices of every model in use, per million tokens")
		}
	}
	if m.Priced && m.PriceIn == 0 && m.PriceOut == 0 {
		l.bad(d.file, d.at+".price_in", "both prices are zero", "savings are relative to prices: give one above zero")
	}
}
