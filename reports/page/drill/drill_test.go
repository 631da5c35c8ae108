package drill

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"infnet/harness/result"
)

// sample is a run of two cascades on one dataset, of three records each: the second is asked the same.
func sample() (*result.Results, []result.Record) {
	rows := []result.Row{{Policy: "none", Title: "None", Charge: "cascade"},
		{Policy: "all", Title: "All", Charge: "router"},
		{Policy: "random", Title: "Random", Charge: "cascade"}, {Policy: "multi", Title: "Ours", Charge: "cascade"},
		{Policy: "vote", Title: "Vote", Charge: "parallel"}}
	r := &result.Results{Version: result.Version}
	var records []result.Record
	for _, name := range []string{"a", "b"} {
		r.Cascades = append(r.Cascades, result.Cascade{Name: name, Models: []string{"s", "m"}, Unit: "EUR",
			Datasets: []result.Dataset{{Name: "d", Labels: []string{"no", "yes"}, Rows: rows,
				Counts: result.Counts{Records: 3, Used: 2, Fit: 1, Test: 1}}}})
		for n, part := range []string{result.PartFit, result.PartTest, result.PartUnused} {
			x := result.Record{Cascade: name, Dataset: "d", ID: fmt.Sprint("x", n), Row: n + 1, Part: part, Class: "yes",
				Prompt: "Is it so?\n", Models: []result.RecordAnswer{
					{Model: "s", Text: "no", Class: "no", Beta: 0.1 + 0.25*float64(n), Cost: 0.1 * float64(n+1)},
					{Model: "m", Text: "yes", Class: "yes", Beta: 1, Correct: true, Cost: 2.5}}}
			if part == result.PartUnused {
				x.Models[1] = result.RecordAnswer{Model: "m", Cause: "timed out"}
			} else {
				x.Decisions = []result.Decision{{Policy: "multi", Deferred: n == 1},
					{Policy: "vote", Deferred: true, Asked: []int{0, 1}, Stage: n}}
			}
			records = append(records, x)
		}
	}
	return r, records
}

func sequence(records []result.Record) func(func(result.Record, error) bool) {
	return func(yield func(result.Record, error) bool) {
		for _, x := range records {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// unpack reads a block as the page does.
func unpack(t *testing.T, packed string) []byte {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(flate.NewReader(bytes.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// The blocks of a page hold what the records say, column by column.
func TestColumns(t *testing.T) {
	r, records := sample()
	blocks, err := Collect(r, sequence(records), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var head Head
	err = json.Unmarshal([]byte(blocks[0].Text), &head)
	if err != nil || blocks[0].ID != "drill" || len(head.Tables) != 2 {
		t.Fatalf("head: %s %+v, %v", blocks[0].ID, head, err)
	}
	var packed string
	if err := json.Unmarshal([]byte(blocks[1].Text), &packed); err != nil || blocks[1].ID != "drill-0" {
		t.Fatalf("%s: %v", blocks[1].ID, err)
	}
	var got columns
	if err := json.Unmarshal(unpack(t, packed), &got); err != nil || !head.Tables[0].Held {
		t.Fatal(err)
	}
	want := columns{Row: []uint32{1, 2, 3}, IDs: []string{"x0", "x1", "x2"}, Part: []uint16{0, 1, 2},
		Class: []uint32{2, 2, 2}, Answers: []answers{ // by hand from sample; classes are none, no, yes
			{State: []uint16{1, 1, 1}, Class: []uint32{1, 1, 1}, Beta: []uint32{100000, 350000, 600000},
				Cost: []float64{0.1, 0.2, 0.1 * float64(records[2].Row)}},
			{State: []uint16{3, 3, 0}, Class: []uint32{2, 2, 0}, Beta: []uint32{1000000, 1000000, 0},
				Cost: []float64{2.5, 2.5, 0}}},
		Ways: [][]uint16{nil, nil, nil, {1, 2, 0}, {1, 2, 0}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("columns:\n%v\nwant\n%v", got, want)
	}
	policies := head.Tables[0].Policies
	if !policies[2].Coin || policies[3].Coin || policies[0].All != 1 || policies[1].Ways[1].Final != 1 {
		t.Errorf("policies: %+v", policies)
	}
	if got := fmt.Sprint(policies[3].Ways, policies[4].Ways); got !=
		"[{[] -1 false} {[0] 0 false} {[0 1] 1 true}] [{[] -1 false} {[0 1] 0 true} {[0 1] 1 true}]" {
		t.Errorf("ways: %s", got)
	}
}

// Texts are packed once for all cascades on a dataset, and left out where they do not fit.
func TestTexts(t *testing.T) {
	r, records := sample()
	tables, err := collect(r, sequence(records), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var first, second []Detail
	for k, into := range []*[]Detail{&first, &second} {
		packed := tables[k].texts.done
		if len(packed) != 1 {
			t.Fatalf("table %d has %d blocks, want 1", k, len(packed))
		}
		if err := json.Unmarshal(unpack(t, packed[0]), into); err != nil || len(*into) != 3 {
			t.Fatalf("table %d: %d records, %v", k, len(*into), err)
		}
	}
	if first[0].Prompt != "Is it so?" || first[0].Same || !second[0].Same || second[0].Prompt != "" ||
		tables[1].texts.first != tables[0] {
		t.Errorf("the second cascade repeats the prompt: %+v, %+v", first[0], second[0])
	}
	size := tables[0].texts.size
	for _, tt := range []struct {
		limit         int64
		first, second bool
	}{{0, false, false}, {size - 1, false, false}, {size, true, false}, {3 * size, true, true}} {
		tables, err := collect(r, sequence(records), tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		one, two := tables[0].texts != nil, tables[1].texts != nil
		if tables[0].left || one != tt.first || two != tt.second {
			t.Errorf("limit %d: texts of %v and %v, want %v and %v", tt.limit, one, two, tt.first, tt.second)
		}
	}
}

// A confidence is rounded as printing does it, halves included.
func TestMillionths(t *testing.T) {
	for _, beta := range []float64{0, 1, 0.5, 0.0000005, 0.0000015, 0.1234565, 0.9999995, 0.99999951, 1.0 / 3, 5e-324} {
		got, err := millionths(beta)
		if want := fmt.Sprintf("%.6f", beta); err != nil || fmt.Sprintf("%d.%06d", got/1e6, got%1e6) != want {
			t.Errorf("millionths(%v) = %d, %v; printed %s", beta, got, err, want)
		}
	}
}

// What does not belong to the results, or is not what they count, is refused: what is behind a cell would not be what
// it says.
func TestCollectRefuses(t *testing.T) {
	type list = []result.Record
	for name, tt := range map[string]struct {
		want   string
		change func(r *result.Results, x list) list
	}{
		"another cascade": {"record x1 of cascade \"c\"", func(_ *result.Results, x list) list {
			x[1].Cascade = "c"
			return x
		}},
		"another policy": {"record x1 has a decision of policy lucky", func(_ *result.Results, x list) list {
			x[1].Decisions[0].Policy = "lucky"
			return x
		}},
		"a model too many": {"record x1 has answers of 3 models", func(_ *result.Results, x list) list {
			x[1].Models = append(x[1].Models, x[1].Models[0])
			return x
		}},
		"a model that is not there": {"record x1: policy vote asks model 2", func(_ *result.Results, x list) list {
			x[1].Decisions[1].Asked = []int{0, 2}
			return x
		}},
		"a confidence above one": {"record x1: confidence of model s: 1.5", func(_ *result.Results, x list) list {
			x[1].Models[0].Beta = 1.5
			return x
		}},
		"mixed cascades": {"is out of place", func(_ *result.Results, x list) list {
			return list{x[0], x[3], x[1]}
		}},
		"no records": {"(+1 in the fit part, +1 in the test part)", func(*result.Results, list) list {
			return nil
		}},
		"a whole table is missing": {`cascade "b"`, func(_ *result.Results, x list) list { return x[:3] }},
		"one is missing": {"(+1 in the fit part, +0 in the test part)", func(_ *result.Results, x list) list {
			return x[1:]
		}},
		"one is there twice": {"(+0 in the fit part, -1 in the test part)", func(_ *result.Results, x list) list {
			return append(x, x[4])
		}},
		"the results count more": {"+8 in the test part", func(r *result.Results, x list) list {
			r.Cascades[1].Datasets[0].Counts.Test = 9
			return x
		}},
	} {
		r, records := sample()
		records = tt.change(r, records)
		if _, err := collect(r, sequence(records), 1<<20); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, tt.want)
		}
	}
}
