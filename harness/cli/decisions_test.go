package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"infnet/harness/result"
)

// A study whose student is a decision model, from the first call to an exported bar. The server replies as any2jev
// 0.1.0 was seen to (backends/decisions/testdata): it is right on seven of ten records, and surer of those.
func TestDecisionModelEndToEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	var calls atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model     string
			State     string
			Questions map[string]struct {
				Type, Instructions string
				Criteria           map[string]*string
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/v1/systemone" ||
			q.Questions["class"].Instructions != "Which team?" || len(q.Questions["class"].Criteria) != 2 {
			http.Error(w, fmt.Sprintf("%s: %+v, %v", r.URL.Path, q, err), http.StatusBadRequest)
			return
		}
		calls.Add(1)
		var n int
		_, err := fmt.Sscanf(q.State, "Ticket %d.", &n)
		right, p := n%2 == 0, .93
		if n%10 < 3 {
			right, p = !right, .6
		}
		choice, other := "sales", "billing"
		if right {
			choice, other = other, choice
		}
		if err != nil && q.State != "The light is green." {
			choice = "?"
		}
		fmt.Fprintf(w, `{"model":%q,"answers":{"class":{"type":"choice","choice":%q,"probabilities":{%q:%v,%q:%.4g},`+
			`"confidence":%.4g}},"usage":{"input_tokens":32,"output_tokens":58},"latency_ms":6.6}`, q.Model, choice, choice, p,
			other, 1-p, 2*p-1)
	}))
	defer srv.Close()
	var rows, master strings.Builder
	for i := range 200 {
		class := []string{"billing", "sales"}[i%2]
		fmt.Fprintf(&rows, `{"id":"%d","n":"%d","label":"%s"}`+"\n", i, i, class)
		fmt.Fprintf(&master, `{"id":"%d","text":"%s","confidence":0.9}`+"\n", i, class)
	}
	spec := `study = "decisions"
report.page = false
cost = { model = "fixed" }
models = [
  { name = "decider", backend = "jev", fixed_cost = 1 },
  { name = "llm", answers = "llm.jsonl", fixed_cost = 20 },
]
cascades = [{ models = ["decider", "llm"] }]
[backends.jev]
kind = "decisions"
urls = ["` + srv.URL + `/v1"]
[[datasets]]
name = "tickets"
source = "file:rows.jsonl"
task = "classification"
id = "id"
prompt = "Ticket {n}."
question = "Which team?"
criteria = { billing = "payments, refunds" }
labels = ["billing", "sales"]
`
	for name, text := range map[string]string{"rows.jsonl": rows.String(), "llm.jsonl": master.String(), "s.toml": spec} {
		save(t, name, text)
	}
	// Of the state 9 to 11 characters ("Ticket 100."), of the question 11, the labels with a space before each 14, and
	// what one means 17: ⌈51/4⌉, ⌈52/4⌉ and ⌈53/4⌉ tokens of 10, 90 and 100 records.
	planned, _ := infnet(t, ExitOK, "plan", "s.toml")
	if !strings.Contains(strings.Join(strings.Fields(planned), " "), "decider tickets 200 0 200 2700 0 llm") {
		t.Errorf("the plan:\n%s", planned)
	}
	infnet(t, ExitOK, "run", "s.toml", "--quiet")
	if n := calls.Load(); n < 200 || n > 202 { // one of each record, and those that find out who answers
		t.Errorf("%d calls for 200 records", n)
	}
	text := must(os.ReadFile("runs/decisions/results.json"))
	var r result.Results
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Cascades[0].Datasets[0].Rows {
		if x.Policy == "none" && (x.Error.Value < .2 || x.Error.Value > .4) {
			t.Errorf("the decision model errs in %v, want about 0.3", x.Error.Value)
		}
		if x.Policy == "single" && x.Error.Value != 0 { // all that is wrong is at 0.6
			t.Errorf("with a bar %v of the answers are wrong", x.Error.Value)
		}
	}
	before := calls.Load()
	_, refused := infnet(t, ExitModel, "batch", "write", "s.toml")
	wantIn(t, "batch says", refused,
		`decider: its kind of backend, "decisions", has no batch files; infnet run asks`)
	infnet(t, ExitOK, "verify", "s.toml")
	out, _ := infnet(t, ExitOK, "export-policy", "runs/decisions/policies.toml", "--policy", "tickets/single", "--to",
		"python")
	wantIn(t, "the exported bar is not the probability of the surer answers", out, "low, high = 0.0, 0.93")
	// The same answers, decided by what the server calls its confidence.
	vendor := strings.Replace(spec, `study = "decisions"`, "study = \"vendor\"\nconfidence = { score = \"vendor\" }", 1)
	save(t, "v.toml", vendor)
	infnet(t, ExitOK, "run", "v.toml", "--offline", "--quiet")
	out, _ = infnet(t, ExitOK, "export-policy", "runs/vendor/policies.toml", "--policy", "tickets/single", "--to", "cel")
	wantIn(t, "the exported bar is not the vendor's confidence", out, "confidence >= 0.86")
	out, _ = infnet(t, ExitOK, "report", "runs/vendor")
	wantIn(t, "the tables do not say what the confidence is", out,
		"is what its server reports: the largest probability p of k options, scaled")
	if calls.Load() != before {
		t.Error("verify, export-policy, or a study of the same answers asked the server")
	}
}
