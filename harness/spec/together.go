package spec

import (
	"fmt"
	"maps"
	"slices"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
	"infnet/harness/task"
)

// checkTogether checks what the tables of a study mean for each other.
func checkTogether(s *Study, in *sources, models, datasets definitions, servers map[string]*backend) {
	main := in.main()
	checkUnused(servers, s)
	checkChains(s, main)
	checkSampling(s, main)
	if s.Policy.ErrorCost > 0 && len(s.Cascades) == 0 {
		main.wrong("policy.error_cost", "only cascades are priced, and the study has none",
			"add [[cascades]], or leave error_cost out")
	}
	warnUnused(models, "model", "no cascade names it")
	warnUnused(datasets, "dataset", "no cascade is measured on it")
	warnIdle(in, servers, models, datasets)
	checkDatasets(s, main)
	checkPrices(s, main, models)
	checkSpending(s, models)
	if s.Grid != nil && s.Grid.Tau != nil &&
		!slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return d.Correct.Tau > 0 || d.Task == "" }) {
		main.wrong("grid.tau", "no dataset's rule has a threshold", "tau is of token-f1, rouge-l, cosine, and scores of "+
			"command and recorded that state one")
	}
	checkDomains(s, main)
	checkAlike(s, main)
}

// element is where a cascade names a model: its list of models, where another
// stands in.
// The pools follow the cascades.
func element(main *file, cascade int, model string) string {
	at, models := place.Element("cascades", cascade)+".models", []string(nil)
	pool := cascade - len(main.raw.Cascades)
	if pool >= 0 {
		at, models = place.Element("pools", pool)+".models", main.raw.Pools[pool].Models
	} else {
		models = main.raw.Cascades[cascade].Models
	}
	if j := slices.Index(models, model); j >= 0 {
		return place.Element(at, j)
	}
	return at
}

type link struct {
	model      *Model
	student    bool // any but the last whose log-probabilities decide
	datasets   []*Dataset
	classifies bool // some dataset is a classification
}

// checkChains checks every model of every cascade and pool beside what it is asked.
func checkChains(s *Study, main *file) {
	for i, c := range s.Asked() {
		l := link{}
		for _, name := range c.Datasets {
			if d, ok := s.Dataset(name); ok {
				l.datasets = append(l.datasets, d)
				l.classifies = l.classifies || d.Task == task.Classification
			}
		}
		for j, name := range c.Models {
			m, ok := s.Model(name)
			if !ok || m.Config.Model.Kind == "" {
				continue
			}
			l.model, l.student = m, j < len(c.Models)-1 && !c.Pool && m.Samples == nil
			l.check(s, func(message, hint string) { main.once(element(main, i, name), message, hint) })
		}
	}
}

func (l link) check(s *Study, wrong func(message, hint string)) {
	m := l.model
	switch can := m.Config.Traits(); {
	case can.Answers:
	case can.Scores:
		wrong(m.Name+" is a scorer: it scores pairs of texts and answers nothing",
			"name it as the model of [scorer], and here a model that answers")
	default:
		wrong(m.Name+" is an encoder: it embeds texts and answers nothing",
			"name it as the model of [embedder], and here a model that answers")
	}
	if m.System != "" && m.Mode == backends.Raw && m.Recording == nil {
		wrong(m.Name+" has a system prompt and is asked in mode raw, which has no turns",
			"set mode = \"chat\" for the model, or leave its system out")
	}
	for _, d := range l.datasets {
		switch shows := d.Examples.N > 0 || d.Examples.Listed != nil; {
		case m.Recording != nil:
		case d.Correct.Rule == task.Recorded:
			wrong(fmt.Sprintf("the grades of %s are recorded, and the answers of %s are not: nobody has graded them", d.Name,
				m.Name), "name its recorded answers, answers = …, or grade by another rule")
		case d.System != "" && m.Mode == backends.Raw:
			wrong(fmt.Sprintf("%s has a system prompt, and %s is asked in mode raw, which has no turns", d.Name, m.Name),
				"set mode = \"chat\" for the model, or write the text into the prompt")
		case shows && m.Config.Model.Kind == backends.HuggingFace:
			wrong(fmt.Sprintf("%s shows examples, and %s reads a passage, a question or a text to classify and nothing else",
				d.Name, m.Name), "leave the examples out, or ask a model that generates")
		}
	}
	if m.Samples != nil {
		checkSampled(s, m, wrong)
	}
	l.served(wrong)
}

// served refuses models behind servers whose replies have no confidence where one decides, and what their servers
// cannot be asked.
func (l link) served(wrong func(message, hint string)) {
	const vote = "put it last, let it vote (samples = { n = 5, temperature = 0.7 }), or "
	name := l.model.Name
	switch c := l.model.Config.Settings.(type) {
	case *backends.OpenAIConfig:
		const fix = vote + "serve it where log-probabilities are offered"
		if l.student && c.NoLogprobs {
			wrong(name+" gives no log-probabilities (its backend says no_logprobs), so there is no confidence to "+
				"decide by", fix+" and leave no_logprobs out")
		} else if l.student && l.classifies && c.Labels == backends.LabelsText {
			wrong(name+" answers classifications without probabilities (its backend says labels = \"text\"), so "+
				"there is no confidence to decide by", fix+" and leave labels out")
		}
	case *backends.HostedConfig:
		if l.student {
			wrong(fmt.Sprintf("%s is hosted (%s), and langchaingo's clients pass no log-probabilities, so there is no "+
				"confidence to decide by", name, c.Provider), vote+"ask it through a server of the OpenAI protocol that "+
				"gives log-probabilities: kind = \"openai\"")
		}
	case *backends.HuggingFaceConfig:
		want := map[backends.HuggingFaceTask]task.Kind{backends.ZeroShot: task.Classification,
			backends.ExtractiveQA: task.QA}[c.Task]
		for _, d := range l.datasets {
			if want != "" && d.Task != "" && d.Task != want {
				wrong(fmt.Sprintf("%s does %s alone, and %s is a task of %s", name, c.Task, d.Name, d.Task),
					fmt.Sprintf("name the datasets it can answer, those of task %s: datasets = [\"…\"]", want))
			}
		}
	case *backends.DecisionsConfig:
		for _, d := range l.datasets {
			switch {
			case d.Task == "": // reported
			case d.Task != task.Classification:
				wrong(fmt.Sprintf("%s is a decision model, which answers classifications alone, and %s is a task of %s", name,
					d.Name, d.Task),
					"name the datasets it can answer, those of task classification: datasets = [\"…\"]")
			case d.Question == "":
				wrong(fmt.Sprintf("%s is a decision model, and the dataset %s does not say what it is asked", name, d.Name),
					"write the question into the dataset: question = \"Which team should handle this?\"")
			}
		}
	}
}

// checkSampled refuses costs that cannot be those of several answers, and a calibration that votes are no material for.
func checkSampled(s *Study, m *Model, wrong func(message, hint string)) {
	several := fmt.Sprintf("%s answers %d times (samples), and ", m.Name, m.Samples.N)
	if s.Cost.Summary == cost.Signature {
		wrong(several+"cost.summary = \"signature\" is of one answer", "set cost.summary = \"mean\" or \"median\"")
	}
	if s.Policy.Calibration == confidence.Temperature {
		wrong(several+"policy.calibration = \"temperature\" rescales the scores of all labels, which votes are not",
			"use isotonic or platt")
	}
	if s.Cost.Padding != 0 {
		wrong(several+"cost.padding counts each record once in a batch", "leave padding out")
	}
}

// checkSampling refuses samples of models that do not answer the study's records.
func checkSampling(s *Study, main *file) {
	for _, once := range []struct {
		key   string
		model *Model
	}{{"embedder.model", s.Embedder.Model}, {"scorer.model", s.Scorer}, {"judge.model", or(s.Judge, Judge{}).Model}} {
		if m := once.model; m != nil && m.Samples != nil {
			main.wrong(once.key, fmt.Sprintf("%s has samples, and is asked once here", m.Name), "name a model without samples")
		}
	}
}

// warnUnused warns of the study's own definitions that nothing names.
func warnUnused(all definitions, what, why string) {
	for _, d := range all {
		if !d.used && !d.serves && !d.replaced && d.own && d.name != "" {
			d.file.warn(d.at, fmt.Sprintf("the %s %q is not used", what, d.name), why)
		}
	}
}

// warnIdle warns of catalogs from which no model and no dataset is taken; one of
// backends alone serves the models of others.
func warnIdle(in *sources, servers map[string]*backend, lists ...definitions) {
	for _, f := range in.files[1:] {
		taken := f.named || f.raw.Slurm != nil || slices.Contains(slices.Collect(maps.Values(in.main().from)), f)
		for _, d := range slices.Concat(lists...) {
			taken = taken || d.file == f && (d.used || d.serves)
		}
		for _, b := range servers {
			taken = taken || b.file == f && b.used
		}
		if !taken {
			f.warnings.Add(place.Problem{File: f.name, Message: "nothing of this catalog is used"})
		}
	}
}

// checkDatasets checks the datasets beside what the study computes of their answers.
func checkDatasets(s *Study, main *file) {
	temperature := s.Policy.Calibration == confidence.Temperature
	for _, d := range s.Datasets {
		recorded := d.Correct.Rule == task.Recorded
		if recorded && s.Policy.Setting == policy.Oracle {
			main.once("policy.setting", fmt.Sprintf("oracle compares answers with the master's, and %s has recorded grades",
				d.Name), "leave setting out")
		}
		if temperature && d.Task != "" && !d.classification() {
			main.once("policy.calibration", fmt.Sprintf("temperature is for label probabilities, and %s is a task of %s",
				d.Name, d.Task), "use isotonic or platt, or leave the dataset out")
		} else if temperature && recorded && d.LabelColumn == "" {
			main.once("policy.calibration", fmt.Sprintf("temperature is fitted to the right classes, and %s names none",
				d.Name), "use isotonic or platt, or name the column: label = …")
		}
		if recorded && d.IDColumn != "" &&
			!slices.ContainsFunc(d.Fields, func(f Field) bool { return f.Column != d.IDColumn }) {
			checkTextless(s, main, d.Name)
		}
	}
}

// checkTextless refuses whatever learns from the queries' texts where there are none.
func checkTextless(s *Study, main *file, dataset string) {
	why := fmt.Sprintf(" reads the queries' texts, and %s has none: its prompt names the id alone", dataset)
	const fix = "name the column of the text in the prompt, such as prompt = \"{text}\", or leave it out"
	for i, b := range main.raw.Baselines {
		if b.Kind.Learns() {
			main.once(place.Element("baselines", i)+".kind", string(b.Kind)+why, fix)
		}
	}
	if s.Sufficiency.Asks(Embeddings) {
		main.once("sufficiency", string(Embeddings)+why, fix+": extra = [\"output-stats\"]")
	}
}

// Facts reports whether recorded grades or costs are read, so that their columns are looked for.
func (s *Study) Facts() bool {
	return s.Cost.Model == cost.Recorded ||
		slices.ContainsFunc(s.Datasets, func(d Dataset) bool { return d.Correct.Rule == task.Recorded })
}
