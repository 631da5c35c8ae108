package grade_test

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"infnet/metrics"
	"infnet/metrics/extract"
	"infnet/metrics/grade"
)

//go:embed testdata/beside.json.gz
var besideFile []byte

// recorded is a row of recorded answers.
type recorded struct {
	ID, Text string
	Correct  bool
}

// beside is how many verdicts of a grader are ours, and how many replies it alone, and we alone, call right.
// EVIDENCE.md says who is right.
var beside = []struct {
	set, grader     string
	way             extract.Way
	rule            string
	same, they, our int
}{
	{"gsm8k", "lm-eval strict", "after:####", "number", 2528, 4, 141},
	{"gsm8k", "simple-evals MGSM", "after:####", "number", 2667, 6, 0},
	{"gsm8k", "RouterArena math", "after:####", "number", 2524, 11, 138},
	{"gsm8k", "math-verify", "after:####", "math", 2660, 9, 4},
	{"gsm8k", "lm-eval flexible", "last-number", "number", 2605, 3, 65},
	{"mmlu", "RouterArena choice", "letter", "choice", 15876, 0, 0},
	{"mmlu", "simple-evals choice", "letter", "choice", 15876, 0, 0},
	{"mmlu", "lm-eval choice", "letter", "choice", 15860, 0, 16},
	{"triviaqa", "lm-eval exact", "", "exact", 11372, 0, 121},
	{"triviaqa", "simple-evals fuzzy", "", "contains", 11358, 135, 0},
	{"truthfulqa", "lm-eval exact", "", "exact", 4858, 0, 20},
	{"truthfulqa", "simple-evals fuzzy", "", "contains", 4804, 74, 0},
}

// Ours and others' on recorded replies of nine models; testdata/make_beside.py has what they say, and the references.
// With -v, every difference is listed.
func TestBesideOtherGraders(t *testing.T) {
	folder := filepath.Join(os.Getenv("INFNET_DATA"), "answers")
	files, _ := filepath.Glob(filepath.Join(folder, "answers.*.jsonl.gz"))
	if os.Getenv("INFNET_DATA") == "" || len(files) == 0 {
		t.Skip("INFNET_DATA names no folder with recorded answers")
	}
	var theirs map[string]map[string]map[string]string // set, grader, model: a digit for each reply
	unpacked, err := gzip.NewReader(bytes.NewReader(besideFile))
	if err != nil || json.NewDecoder(unpacked).Decode(&theirs) != nil {
		t.Fatal("testdata/beside.json.gz cannot be read", err)
	}
	replies := map[string]map[string][]recorded{}
	for _, f := range files {
		set, model, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(f), "answers."), ".jsonl.gz"), ".")
		if replies[set] == nil {
			replies[set] = map[string][]recorded{}
		}
		replies[set][model] = recordedRows(t, f)
	}
	for _, b := range beside {
		refs := besideReferences(b.set, files, replies[b.set])
		same, they, our := 0, 0, 0
		for model, bits := range theirs[b.set][b.grader] {
			for i, r := range replies[b.set][model] {
				if (bits[i] == '-') != (refs[i] == "") {
					t.Fatalf("%s, %s: reference %q, theirs %c", b.set, r.ID, refs[i], bits[i])
				}
				if refs[i] == "" {
					continue
				}
				verdict, of := besideVerdict(t, b.way, b.rule, r.Text, refs[i])
				switch right := verdict == grade.Right; {
				case right == (bits[i] == '1'):
					same++
					continue
				case right:
					our++
				default:
					they++
				}
				if testing.Verbose() {
					fmt.Printf("%s|%s|%s|%s|%v|%q|%q\n", b.grader, b.rule, model, r.ID, verdict, refs[i], of)
				}
			}
		}
		if same != b.same || they != b.they || our != b.our {
			t.Errorf("{%q, %q, %q, %q, %d, %d, %d},", b.set, b.grader, b.way, b.rule, same, they, our)
		}
	}
}

func besideVerdict(t *testing.T, way extract.Way, rule, reply, reference string) (grade.Verdict, string) {
	if rule == "exact" {
		return grade.Verdict(2*metrics.ScoreExactMatch(reply, []string{reference}) - 1), reply
	}
	return gradeOf(t, way, rule, reply, true, reference)
}

func recordedRows(t *testing.T, path string) (rows []recorded) {
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(unpacked); d.More(); {
		var r recorded
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

var (
	marked = regexp.MustCompile(`####[ *]*\$?(-?[0-9,]+(?:\.[0-9]+)?)[ *.]*(?:\n|$)`)
	choice = regexp.MustCompile(`^[A-D]$`)
)

// besideReferences are the references that make_beside.py describes; "" = none.
func besideReferences(set string, files []string, replies map[string][]recorded) (refs []string) {
	var models []string
	for _, f := range files { // in their order
		if m, ok := strings.CutPrefix(filepath.Base(f), "answers."+set+"."); ok {
			models = append(models, strings.TrimSuffix(m, ".jsonl.gz"))
		}
	}
	for i := range replies[models[0]] {
		said, best, ref := map[string]int{}, 0, ""
		for _, m := range models {
			r := replies[m][i]
			text := strings.TrimSpace(r.Text)
			found := marked.FindAllStringSubmatch(r.Text, -1)
			switch {
			case !r.Correct || text == "":
			case set == "gsm8k" && found != nil:
				n, ok := new(big.Rat).SetString(strings.ReplaceAll(found[len(found)-1][1], ",", ""))
				if !ok {
					continue
				}
				said[n.RatString()]++
			case set == "mmlu" && choice.MatchString(text) && ref == "":
				ref = text
			case set != "gsm8k" && set != "mmlu" && len(r.Text) <= 30 && (ref == "" || len(r.Text) < len(ref)):
				ref = r.Text
			}
		}
		for n, times := range said {
			switch {
			case times > best:
				best, ref = times, n
			case times == best:
				ref = ""
			}
		}
		if strings.Contains(ref, "/") && set == "gsm8k" {
			ref = ""
		}
		refs = append(refs, ref)
	}
	return refs
}
