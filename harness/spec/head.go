package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"infnet/harness/confidence"
	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/spec/place"
)

// head checks what holds for the whole study.
func (l *loader) head(s *Study) {
	f := l.files[0]
	r := &f.raw
	s.Name = l.name(f, "", "study", r.Study, "give the study a name: study = \"my-study\"")
	if seed := or(r.Seed, 0); seed < 0 {
		l.bad(f, "seed", fmt.Sprintf("the seed %d is negative", seed), "any whole number from 0")
	} else {
		s.Seed = uint64(seed)
	}
	c := or(r.Cost, rawCost{})
	s.Cost = Cost{Model: or(c.Model, defaultCost), Summary: or(c.Summary, defaultSummary), Padding: or(c.Padding, 0)}
	l.padding(f, "cost.padding", s.Cost)
	s.Policy = l.policy(f, or(r.Policy, rawPolicy{}))
	s.Confidence = l.confidence(f, or(r.Confidence, rawConfidence{}))
	if g := s.Confidence.Generation; s.Policy.Guarantee != nil && (g == confidence.MinMax || g == confidence.Sigmoid || g == confidence.Quantiles) {
		l.bad(f, "confidence.generation", fmt.Sprintf("%s learns from the records that test the guarantee", g), "use exp or sum, which learn nothing, or leave the guarantee out")
	}
	s.Baselines = l.baselines(f, r.Baselines)
	for i, b := range r.Baselines {
		if b.LearnerCost != nil && s.Cost.Model == cost.TFLOPs {
			l.bad(f, place.Element("baselines", i)+".learner_cost", "costs are operations, and the learner's own are counted", "leave learner_cost out; it is for the cost models price, tokens, latency and fixed")
		}
	}
	s.Sufficiency = l.sufficiency(f, r.Sufficiency)
	s.Collect = l.collect(f, or(r.Collect, rawCollect{}))
	s.Report = Report{
		Bootstrap: int(l.whole(f, "report.bootstrap", or(r.Report, rawReport{}).Bootstrap, defaultBootstrap, 2000, 100_000)),
		Level:     or(or(r.Report, rawReport{}).Level, defaultLevel),
	}
	l.published(f, or(r.Report, rawReport{}).Published, s)
	if v := s.Report.Level; v <= 0 || v >= 1 {
		l.bad(f, "report.level", fmt.Sprintf("the level %v is outside (0,1)", v), "0.95 makes 95 % intervals")
	}
}

func (l *loader) policy(f *file, r rawPolicy) Policy {
	p := Policy{
		Setting:     or(r.Setting, defaultSetting),
		Target:      or(r.Target, policy.Best),
		Calibration: or(r.Calibration, defaultCalibration),
		Method:      or(r.Method, defaultMethod),
		Objective:   or(r.Objective, defaultObjective),
		Multi:       or(r.Multi, true),
	}
	p.Compare, p.Ensembles = r.Compare, r.Ensembles
	for i, c := range p.Compare {
		if slices.Contains(p.Compare[:i], c) {
			l.bad(f, place.Element("policy.compare", i), fmt.Sprintf("%s stands there twice", c), "leave one out")
		}
		if c == Comparand(policy.Linear) && p.Setting != policy.Oracle {
			l.bad(f, place.Element("policy.compare", i), "the linear method needs the oracle setting", "leave it out: it finds the same thresholds as exact")
		}
	}
	for i, rule := range r.Ensembles {
		if slices.Contains(r.Ensembles[:i], rule) {
			l.bad(f, place.Element("policy.ensembles", i), fmt.Sprintf("the rule %q twice", rule), "name it once")
		}
	}
	l.target(f, r, &p)
	if r.Guarantee != nil {
		l.guarantee(f, r.Guarantee, &p)
	}
	if p.Method == Solver(policy.Linear) && p.Setting != policy.Oracle {
		l.bad(f, "policy.method", "the linear method needs the oracle setting: against a reference the error is not monotone in the threshold",
			"use method = \"exact\", which gives the same thresholds where both apply")
	}
	return p
}

// guarantee reads what is promised, and refuses what cannot be.
func (l *loader) guarantee(f *file, r *rawGuarantee, p *Policy) {
	g := &policy.Guarantee{Method: or(r.Method, policy.LearnThenTest), Delta: or(r.Delta, 0), Margin: or(r.Margin, 0), PValue: or(r.PValue, ""), MaxCluster: int(or(r.MaxCluster, 0))}
	if r.MaxCluster != nil && (*r.MaxCluster < 1 || *r.MaxCluster > 1e6) {
		l.bad(f, "policy.guarantee.max_cluster", fmt.Sprintf("%d records of a group is not from 1 to 1000000", *r.MaxCluster), "leave it out to take the largest group of the half that proposes")
		return
	}
	if r.Delta != nil && !(*r.Delta > 0 && *r.Delta < 1) {
		l.bad(f, "policy.guarantee.delta", fmt.Sprintf("the probability %v is not above 0 and below 1", *r.Delta), "0.05 breaks one promise in twenty")
		return
	}
	if err := g.Check(policy.Options{Setting: p.Setting, Target: p.Target}); err != nil {
		l.bad(f, "policy.guarantee", err.Error(), "")
	}
	if p.Calibration != confidence.NoCalibration {
		l.bad(f, "policy.guarantee", fmt.Sprintf("calibration %s learns from the records that test the promise", p.Calibration), "leave calibration out, or the guarantee")
	}
	p.Guarantee = g
}

// target takes the command line's budget over the spec's, and refuses a
// budget that the setting gives no meaning.
func (l *loader) target(f *file, r rawPolicy, p *Policy) {
	const key = "policy.target"
	complain := func(message, hint string) { l.bad(f, key, message, hint) }
	if l.options.Target != "" {
		complain = func(message, hint string) {
			l.problems.Add(place.Problem{File: f.name, Message: "--target: " + message, Hint: hint})
		}
		t, err := parseTarget(l.options.Target)
		if err != nil {
			complain(err.Error(), "")
			return
		}
		p.Target = t
	} else if r.Target == nil && f.text.Has(key) {
		return // written, and wrong
	}
	if _, number := p.Target.Numeric(); p.Setting == policy.Oracle && !number {
		complain(fmt.Sprintf("target %s in the oracle setting: the master never errs there, so its error count is no budget", p.Target),
			"give a number, the agreement with the master: 0.95")
	}
}

func (l *loader) confidence(f *file, r rawConfidence) Confidence {
	c := Confidence{
		Classification: or(r.Classification, confidence.Softmax),
		Generation:     or(r.Generation, defaultGeneration),
		IncludeEOS:     or(r.IncludeEOS, false),
		LabelMass:      l.labelMass(f, or(r.LabelMass, rawLabelMass{})),
	}
	if c.Classification != confidence.Softmax {
		l.bad(f, "confidence.classification", fmt.Sprintf("%s is a score of generated tokens, and a classification generates none", c.Classification), "want softmax")
	}
	if c.Generation == confidence.Softmax {
		l.bad(f, "confidence.generation", "softmax is over label tokens, and a generation has no labels", "want one of exp, minmax, sum, sigmoid, quantiles")
	}
	return c
}

// baselines puts the rows of a table in order: none, all, the random ones,
// those that learn, the oracle router.
func (l *loader) baselines(f *file, raw []rawBaseline) []Baseline {
	random, learned := []Baseline{}, []Baseline{}
	seen := map[Baseline]int{}
	written := false
	kinds := make([]string, len(BaselineKinds()))
	for i, k := range BaselineKinds() {
		kinds[i] = string(k)
	}
	for i, r := range raw {
		at := place.Element("baselines", i)
		if r.Kind == nil {
			l.missing(f, at, "kind", "want one of "+strings.Join(kinds, ", "))
			continue
		}
		b, before := Baseline{Kind: *r.Kind}, len(l.problems)
		l.stray(f, at, r)
		switch {
		case b.Kind == Random:
			written = true
			l.random(f, at, r, &b)
		case b.Kind.Learns():
			l.learned(f, at, r, &b)
		}
		if len(l.problems) > before {
			continue
		}
		if j, again := seen[b]; again {
			l.bad(f, at+".kind", fmt.Sprintf("the same baseline as baselines[%d]", j), "name it once")
			continue
		}
		seen[b] = i
		switch {
		case b.Kind == Random:
			random = append(random, b)
		case b.Kind.Learns():
			learned = append(learned, b)
		}
	}
	slices.SortStableFunc(learned, func(a, b Baseline) int { return cmp.Compare(a.Kind, b.Kind) }) // FrugalGPT first, as in the paper
	if !written {
		random = append(random, Baseline{Kind: Random, P: defaultP, Draws: defaultDraws})
	}
	out := []Baseline{{Kind: NoneDeferred}, {Kind: AllDeferred}}
	out = append(append(out, random...), learned...)
	return append(out, Baseline{Kind: OracleRouter})
}

// stray reports options that are for another kind of baseline.
func (l *loader) stray(f *file, at string, r rawBaseline) {
	coin := r.P != nil || r.Draws != nil || r.RNG != nil
	learns := r.Learner != nil || r.Encoder != nil || r.Delta != nil || r.DeltaKind != nil || r.Compat != nil || r.LearnerCost != nil
	if k := *r.Kind; coin && k != Random || learns && !k.Learns() {
		hint := "p, draws and rng are for random"
		if learns {
			hint = "learner, encoder, delta, delta_kind and compat are for frugalgpt and hybridllm"
		}
		l.bad(f, at+".kind", fmt.Sprintf("baseline %s has no such options", k), hint)
	}
}

func (l *loader) random(f *file, at string, r rawBaseline, b *Baseline) {
	b.P = l.share(f, at+".p", r.P, defaultP)
	b.Draws = int(l.whole(f, at+".draws", r.Draws, defaultDraws, 1, 100_000))
	rng := or(r.RNG, "seed")
	if rng == "seed" {
		return
	}
	digits, ok := strings.CutPrefix(rng, "numpy:")
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil {
		l.bad(f, at+".rng", fmt.Sprintf("unknown generator %q", rng), "want seed, or numpy:42 for numpy's default_rng(42)")
		return
	}
	b.Numpy, b.NumpySeed, b.Draws = true, n, 1
	if r.Draws != nil {
		l.bad(f, at+".draws", fmt.Sprintf("%s is one draw, the published one", rng), "leave draws out, or use rng = \"seed\"")
	}
}

func (l *loader) collect(f *file, r rawCollect) Collect {
	c := Collect{
		MaxMissing:  l.share(f, "collect.max_missing", r.MaxMissing, defaultMissing),
		Retries:     int(l.whole(f, "collect.retries", r.Retries, defaultRetries, 0, 20)),
		Concurrency: int(l.whole(f, "collect.concurrency", r.Concurrency, defaultParallel, 1, 1024)),
	}
	c.Timeout = l.duration(f, "collect.timeout", r.Timeout, defaultTimeout)
	c.Grace = l.duration(f, "collect.grace", r.Grace, defaultGrace)
	c.GiveUp = int(l.whole(f, "collect.give_up", r.GiveUp, defaultGiveUp, 0, 1_000_000))
	c.Budget = l.budget(f, or(r.Budget, rawBudget{}))
	return c
}

// duration reads a time above zero.
func (l *loader) duration(f *file, key string, p *string, otherwise time.Duration) time.Duration {
	if p == nil {
		return otherwise
	}
	d, err := time.ParseDuration(*p)
	if err != nil || d <= 0 {
		l.bad(f, key, fmt.Sprintf("%q is no duration above zero", *p), "write 30s, 5m or 1h30m")
		return otherwise
	}
	return d
}

// whole checks a whole number against its range.
func (l *loader) whole(f *file, key string, p *int64, otherwise, least, most int64) int64 {
	n := or(p, otherwise)
	if n < least || n > most {
		l.bad(f, key, fmt.Sprintf("%d is outside %d to %d", n, least, most), "")
		return otherwise
	}
	return n
}

// given checks a count from 1 to most that need not be there: then it is 0.
func (l *loader) given(f *file, key string, p *int64, most int64) int64 {
	if p == nil {
		return 0
	}
	return l.whole(f, key, p, 0, 1, most)
}

// share checks a number against [0,1].
func (l *loader) share(f *file, key string, p *float64, otherwise float64) float64 {
	v := or(p, otherwise)
	if v < 0 || v > 1 {
		l.bad(f, key, fmt.Sprintf("%v is outside 0 to 1", v), "a share: 0.01 is one in a hundred")
		return otherwise
	}
	return v
}

// LongestName is in characters: names become folders and files.
const LongestName = 80

// name checks a name that is written into files and folders.
func (l *loader) name(f *file, table, key string, p *string, hint string) string {
	if p == nil {
		l.missing(f, table, key, hint)
		return ""
	}
	if fault := NameFault(*p); fault != "" {
		l.bad(f, place.Join(table, key), fmt.Sprintf("the name %q %s", *p, fault), "letters, digits and . _ + - , a letter or digit first; names become files")
	}
	return *p
}

// NameFault says what is wrong with a name, as the end of a sentence that the
// name begins; "" = nothing.
func NameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case len(name) > LongestName:
		return fmt.Sprintf("is longer than %d characters", LongestName)
	case !alphanumeric(name[0]):
		return "does not begin with a letter or digit"
	}
	for i := range len(name) {
		if c := name[i]; !alphanumeric(c) && !strings.ContainsRune("._+-", rune(c)) {
			return "has a character that names must not have"
		}
	}
	if strings.HasSuffix(name, ".") {
		return "ends in a point"
	}
	return ""
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
