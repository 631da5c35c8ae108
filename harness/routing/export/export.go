// Package export writes a fitted policy in the words of a program that applies it: a gateway's configuration, or a
// function of ten lines. It owns the targets and what each can express. It refuses a policy that the target would
// decide otherwise, and says why; it approximates nothing but where the target itself rounds, which it says.
//
// Its opinion: a calibration is inverted once here, and not computed again there, as an exponential has other last bits
// in every language. What each target does was read from its documents or source; the comment there names them.
package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"infnet/harness/calc"
	"infnet/harness/choice"
	"infnet/harness/confidence"
	"infnet/harness/routing"
)

// Target is a program, or a language, that a policy is written for.
type Target string

// The targets.
const (
	Vercel         Target = "vercel"          // AI Gateway: a conditional decision fallback
	Airflow        Target = "airflow"         // LLMBranchOperator: a DecisionPolicy and a bar per branch
	SemanticRouter Target = "semantic-router" // vLLM semantic router: the confidence looper
	Python         Target = "python"
	Go             Target = "go"
	JavaScript     Target = "javascript"
	CEL            Target = "cel" // Common Expression Language
)

// Targets lists the valid targets.
func Targets() []Target {
	return []Target{Vercel, Airflow, SemanticRouter, Python, Go, JavaScript, CEL}
}

// UnmarshalText accepts a target's name.
func (t *Target) UnmarshalText(b []byte) error { return choice.Decode(t, b, "target", Targets()) }

// Options are what a target needs and a thresholds file does not say.
type Options struct {
	Question string // Vercel: the question whose confidence is compared; "" = every one
	Master   string // Vercel: the fallback's name there; "" = the master's name on the hub
}

// Export is a policy in a target's words.
type Export struct {
	Text  string
	Notes []string // what the reader must know, and what the text cannot say
}

// statistics are the confidences that are compared by a target that reads its own.
//
// Vercel and Airflow compare a decision model's reported confidence: "a statistic on the shape of the probability
// distribution … not the probability that the answer is correct" (apache/airflow: providers/common/ai,
// utils/decision.py), and "how strongly that distribution favors one answer over the others", beside the probability of
// the choice (vercel.com/academy/make-decisions-with-jev/follow-the-decision). The semantic router's avg_logprob is the
// logarithm of the geometric mean of the token probabilities, mapped to [0,1] (its looper/confidence.go).
var statistics = map[Target]struct {
	score confidence.Score
	is    string
}{
	Vercel:         {confidence.Vendor, reported},
	Airflow:        {confidence.Vendor, reported},
	SemanticRouter: {confidence.Exp, "the geometric mean of the probabilities of all tokens"},
}

const reported = "the confidence that the decision model reports, which is no probability of its choice"

// Given is the score of a thresholds file that is no confidence.Score: a column of a log.
const Given = "given"

// Write writes a rule for a target, or says what the target cannot express.
func Write(r *routing.Rule, to Target, o Options) (Export, error) {
	bars, err := r.Bars()
	if err == nil {
		err = permitted(r, to, bars)
	}
	if err != nil {
		return Export{}, fmt.Errorf("%s cannot express this policy: %w", to, err)
	}
	var x Export
	switch to {
	case Vercel:
		x, err = vercel(r, bars, o)
	case Airflow:
		x = airflow(r, bars)
	case SemanticRouter:
		x, err = semanticRouter(r, bars[0])
	default:
		x.Text = code(r, to, bars)
	}
	if err != nil {
		return Export{}, fmt.Errorf("%s cannot express this policy: %w", to, err)
	}
	if s, reads := statistics[to]; reads && r.Confidence.Score == Given {
		x.Notes = append(x.Notes, fmt.Sprintf("the thresholds were fitted to a log's column of confidences, and the file "+
			"does not say which: this is the same policy only if that column was %s", s.is))
	}
	return x, nil
}

// permitted refuses what a configured target would decide otherwise; a function decides everything.
func permitted(r *routing.Rule, to Target, bars []routing.Bar) error {
	s, configured := statistics[to]
	if !configured {
		return nil
	}
	const elsewhere = "write a function instead: --to python, go, javascript or cel"
	if r.Abstains() {
		return fmt.Errorf("it may leave a query unanswered, and the target accepts an answer or asks another model; take a "+
			"policy that does not abstain, or %s", elsewhere)
	}
	if score := r.Confidence.Score; score != string(s.score) && score != Given {
		return fmt.Errorf("its confidence is %q, and the target compares %s; %s", score, s.is, elsewhere)
	}
	if r.Confidence.Over != "" {
		return fmt.Errorf("its confidence is read over %q alone, and the target compares %s; %s", r.Confidence.Over, s.is,
			elsewhere)
	}
	if to != Airflow && r.ByClass() {
		return fmt.Errorf("it has a threshold per class, and the target has one bar; fit one with --single, or %s", elsewhere)
	}
	for _, b := range bars {
		if math.IsInf(b.Least, 1) {
			of := "it defers everything"
			if b.Class != "" {
				of = fmt.Sprintf("it defers everything of the class %q", b.Class)
			}
			return errors.New(of + ", and a confidence of 1 reaches every bar that the target takes; " + elsewhere)
		}
	}
	return nil
}

// vercel writes a conditional fallback of providerOptions.gateway.models.
//
// The form: one object {model, when}, the first of models; when is {question?, confidenceBelow}, a finite number from 0
// to 1; without a question it is compared with every Choice and Score question (vercel/ai:
// packages/gateway/src/gateway-provider-options.ts). It escalates "when any Choice or Score answer falls below"
// (vercel.com/changelog/confidence-based-decision-fallbacks), while the bounds of the Boolean condition are "inclusive"
// (pull request 21215 of vercel/ai): strictly, as θ is reached by β = θ. None of these says what a tie does in as many
// words, and the gateway's own source is not public: that, and a confidence that is missing, were not checked there.
func vercel(r *routing.Rule, bars []routing.Bar, o Options) (Export, error) {
	if len([]rune(o.Question)) > 256 {
		return Export{}, errors.New("a question's name has at most 256 characters there")
	}
	model := cmp.Or(o.Master, r.Master.ID)
	if model == "" {
		return Export{}, errors.New("the file does not name the master: say what the gateway calls it with --master")
	}
	question := ""
	if o.Question != "" {
		question = "\"question\": " + quote(o.Question) + ", "
	}
	text := fmt.Sprintf("{\"gateway\": {\"models\": [{\"model\": %s, \"when\": {%s\"confidenceBelow\": %s}}]}}\n",
		quote(model), question, decimal(bars[0].Least))
	return Export{text, []string{
		"this is providerOptions of a decision request; it asks Choice and Score questions, as the gateway has another " +
			"condition for Boolean ones",
		"\"below\" is read as strict; the gateway's documents do not say what a tie does, and its source is not public",
		fmt.Sprintf("the fallback is named %q: --master sets the name that the gateway knows", model),
	}}, nil
}

// airflow writes a DecisionPolicy, and a BranchOption per class.
//
// The operator acts where the confidence is not below the bar of the branch picked, its own or else the policy's
// (review_reason and threshold_for); a confidence that is missing or not finite counts as below
// (ModelConfidence). A bar is a number from 0 to 1 (check_bar). apache/airflow: providers/common/ai, utils/decision.py
// and policies/decision.py.
func airflow(r *routing.Rule, bars []routing.Bar) Export {
	var b strings.Builder
	b.WriteString(header(r, "# "))
	b.WriteString("from airflow.providers.common.ai.policies.decision import BranchOption, DecisionPolicy\n\n")
	if !r.ByClass() {
		fmt.Fprintf(&b, "decision_policy = DecisionPolicy(min_confidence=%s)\n", decimal(bars[0].Least))
	} else {
		b.WriteString("decision_policy = DecisionPolicy(min_confidence=1.0)\nbranches = {\n")
		for _, bar := range bars {
			fmt.Fprintf(&b, "    %s: BranchOption(min_confidence=%s),\n", quote(bar.Class), decimal(bar.Least))
		}
		b.WriteString("}\n")
	}
	notes := []string{"give both to LLMBranchOperator; what is under the bar goes to a person, or fails the task with " +
		"on_uncertain=\"fail\": the master is what comes after that"}
	if r.ByClass() {
		notes = append(notes, "the downstream tasks must be these classes and no others: a branch that is not listed would "+
			"be taken at a confidence of 1, where infnet route defers; leave allow_multiple_branches False")
	}
	return Export{b.String(), notes}
}

// semanticRouter writes the algorithm of a decision.
//
//	accept iff clamp((ℓ + 3)/3) ≥ t,   ℓ the mean log-probability of the answer's tokens
//
// so t = (ln θ + 3)/3. t must be in [0,1], and 0 counts as not set, which is −1: everything is accepted. So θ > e⁻³.
// An answer without log-probabilities goes on to the next model. vllm-project/semantic-router:
// src/semantic-router/pkg/looper/confidence.go (NewConfidenceEvaluator, normalizeLogprob, evaluate, Execute),
// looper/client.go (extractLogprobs), pkg/config/confidence_config.go.
func semanticRouter(r *routing.Rule, bar routing.Bar) (Export, error) {
	least := leastMean(bar.Least)
	t := (least + 3.0) / 3.0
	if !(t > 0) {
		return Export{}, fmt.Errorf("θ = %v is at most e⁻³ = 0.0498 before calibration; there, the least threshold is above "+
			"0, as 0 counts as not set and accepts everything", bar.Least)
	}
	return Export{header(r, "# ") + fmt.Sprintf(`# accept iff (mean log-probability + 3) / 3 >= threshold
algorithm:
  type: confidence
  confidence:
    confidence_method: avg_logprob
    threshold: %s
    escalation_order: declared
    token_filter: all
`, decimal(t)), []string{
		"list the student first and the master second in modelRefs, as the order is \"declared\"",
		"the router adds 3 to the mean log-probability and rounds: means closer to the bar than 1e-15 may be decided " +
			"otherwise than here; all others, and those at the bar, are decided alike",
	}}, nil
}

// leastMean is the least mean log-probability whose exponential is at least β, −Inf for 0.
func leastMean(beta float64) float64 {
	if beta == 0 {
		return math.Inf(-1)
	}
	// Floating-point numbers ≥ 0 are in the order of their bits; exp(−750) is 0.
	fails := sort.Search(int(math.Float64bits(750)), func(i int) bool {
		return calc.Exp(-math.Float64frombits(uint64(i))) < beta
	})
	return -math.Float64frombits(uint64(fails - 1))
}

// header says in comments what the policy is, and where it comes from.
func header(r *routing.Rule, mark string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, mark+format+"\n", args...) }
	line("Policy %+q of infnet's thresholds file %s:", r.Policy, r.Hash)
	if r.Student.Name == r.Master.Name { // the second half of a policy that abstains
		line("an answer of %+q is kept, or dropped where it does not reach its bar: nobody else is asked.", r.Master.Name)
	} else {
		line("%+q answers, %+q is asked where it does not reach its bar.", r.Student.Name, r.Master.Name)
	}
	over, numbers, fitted := "", "", ""
	if r.Confidence.Over != "" {
		over = fmt.Sprintf(" over %+q", r.Confidence.Over)
	}
	if len(r.Confidence.Parameters) > 0 {
		numbers = fmt.Sprintf(" with %v", r.Confidence.Parameters)
	}
	if c := r.Calibration; r.Method() != string(confidence.NoCalibration) {
		if fitted = fmt.Sprintf(" %v", c.Parameters); len(c.Curves) > 0 {
			fitted = fmt.Sprintf(" (%d curves)", len(c.Curves))
		}
	}
	line("Confidence: %+q%s%s, in [0,1].", r.Confidence.Score, over, numbers)
	line("Calibration: %s%s; the bars below are before it, the thresholds after it.", r.Method(), fitted)
	for _, t := range r.Thresholds {
		of := ""
		if t.Class != "" {
			of = fmt.Sprintf(" of class %+q", t.Class)
		}
		line("  accept iff calibrated confidence%s >= %v", of, t.Theta)
		if t.Abstain > 0 {
			line("  no answer from anyone iff it is < %v", t.Abstain)
		}
	}
	return b.String()
}

// decimal writes a bar so that the same bits are read back, and as a floating-point number in every language.
func decimal(x float64) string {
	x = min(x, 2) // +Inf: above all confidences
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
