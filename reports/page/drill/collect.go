package drill

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"infnet/harness/result"
	"infnet/reports"
)

const (
	perBlock    = 32      // records whose texts are packed together: a block is unpacked whole
	mostRecords = 400_000 // of all tables; a table that does not fit into what is left has none
)

// Block is a piece of JSON that a page holds under a name.
type Block struct{ ID, Text string }

// Head is the block "drill": what there is, without the records.
type Head struct {
	Per    int      `json:"per"` // records of a block of texts
	Parts  []string `json:"parts"`
	Tables []Listed `json:"tables"`
}

// Listed is a table and where its records are: its columns in the block "drill-K" where K is its place, its texts in
// "drill-texts-K".
type Listed struct {
	*Table
	Records int  `json:"records"`
	Held    bool `json:"held"` // the page holds the records
	Texts   bool `json:"texts"`
	First   int  `json:"first"` // the place of the table that has the prompts
}

// Detail is a record as it is opened. Of the first cascade on a dataset it holds everything; of further ones it leaves
// out the prompt and the references where they are the same.
type Detail struct {
	reports.Described
	Same bool `json:"same,omitempty"`
}

// texts packs the texts of one table: blocks of perBlock records, each an array of Detail.
type texts struct {
	first *Table              // the dataset's first that has texts; nil = this one
	asked [][sha256.Size]byte // by record, of a first table: what its prompt and references are
	count int
	open  []Detail
	done  []string
	size  int64
}

// Collect returns what a page holds of a run's records. Texts are packed up to so many bytes in all. A table whose
// texts do not fit into what is left has none.
func Collect(r *result.Results, records iter.Seq2[result.Record, error], limit int64) ([]Block, error) {
	tables, err := collect(r, records, limit)
	if err != nil {
		return nil, err
	}
	head, more := Head{Per: perBlock, Parts: parts}, []Block(nil)
	add := func(name string, place int, of any) error {
		text, err := json.Marshal(of)
		more = append(more, Block{name + strconv.Itoa(place), string(text)})
		return err
	}
	for k, t := range tables {
		listed := Listed{Table: t, Records: len(t.columns.Row), Held: !t.left, Texts: t.texts != nil, First: k}
		if listed.Held {
			plain, err := json.Marshal(t.columns)
			if err == nil {
				err = add("drill-", k, Pack(plain))
			}
			if err != nil {
				return nil, err
			}
		}
		if t.texts != nil {
			if t.texts.first != nil {
				listed.First = slices.Index(tables, t.texts.first)
			}
			if err := add("drill-texts-", k, t.texts.done); err != nil {
				return nil, err
			}
		}
		head.Tables = append(head.Tables, listed)
	}
	first, err := json.Marshal(head)
	return append([]Block{{"drill", string(first)}}, more...), err
}

// collect reads the records into a table for every cascade and dataset of the results. The records of a table follow
// each other.
func collect(r *result.Results, records iter.Seq2[result.Record, error], limit int64) (tables []*Table, err error) {
	of, most := map[[2]string]*Table{}, mostRecords
	for c := range r.Cascades {
		for d := range r.Cascades[c].Datasets {
			t := newTable(&r.Cascades[c], &r.Cascades[c].Datasets[d])
			n := r.Cascades[c].Datasets[d].Counts
			t.records = n.Records
			if t.fit, t.test, t.left = n.Fit, n.Test, n.Records > most; !t.left {
				most -= n.Records
			}
			tables, of[[2]string{t.Cascade, t.Dataset}] = append(tables, t), t
		}
	}
	var now *Table
	firsts := map[string]*Table{} // by dataset
	for record, err := range records {
		if err != nil {
			return nil, err
		}
		t := of[[2]string{record.Cascade, record.Dataset}]
		if t == nil || t != now && len(t.columns.Row) > 0 {
			return nil, fmt.Errorf("record %s of cascade %q on dataset %q is out of place: results.json and records.jsonl are "+
				"of different runs, or not as they were written; analyze the study again", record.ID, record.Cascade,
				record.Dataset)
		}
		if t != now {
			limit -= now.finish(limit, firsts)
			if now = t; !t.left && limit > 0 {
				t.texts = &texts{first: firsts[t.Dataset]}
			}
		}
		if err := t.add(&record); err != nil {
			return nil, err
		}
		if t.texts != nil {
			if t.texts.add(&record); t.texts.exceed(limit, t.records) {
				t.texts = nil
			}
		}
	}
	now.finish(limit, firsts)
	for _, t := range tables { // behind a cell must be as many as it says
		if t.fit != 0 || t.test != 0 {
			return nil, fmt.Errorf("cascade %q on dataset %q: results.json counts other records than %s has (%+d in the fit "+
				"part, %+d in the test part): it is of another run, or damaged; analyze the study again", t.Cascade, t.Dataset,
				result.RecordsFile, t.fit, t.test)
		}
	}
	return tables, nil
}

// finish packs what is left of a table's texts and returns their bytes; texts beyond the limit are left out.
func (t *Table) finish(limit int64, firsts map[string]*Table) int64 {
	if t == nil || t.texts == nil {
		return 0
	}
	if t.texts.flush(); t.texts.size > limit {
		t.texts = nil
		return 0
	}
	if firsts[t.Dataset] == nil {
		firsts[t.Dataset] = t
	}
	return t.texts.size
}

// exceed says whether the texts have more bytes than the limit, or will: if what is packed of so many records says that
// all would have twice as many.
func (x *texts) exceed(limit int64, records int) bool {
	share := float64(len(x.done)*perBlock) / float64(records)
	return x.size > limit || len(x.done) >= 64 && float64(x.size) > 2*float64(limit)*share
}

func (x *texts) add(r *result.Record) {
	d := Detail{Described: reports.Describe(*r)}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q%q", d.Prompt, d.References))
	if x.first == nil {
		x.asked = append(x.asked, sum)
	} else if x.count < len(x.first.texts.asked) && x.first.texts.asked[x.count] == sum {
		d.Prompt, d.References, d.Same = "", nil, true
	}
	if x.open, x.count = append(x.open, d), x.count+1; len(x.open) == perBlock {
		x.flush()
	}
}

func (x *texts) flush() {
	if len(x.open) == 0 {
		return
	}
	plain, err := json.Marshal(x.open)
	if err != nil {
		panic("drill: text that JSON cannot hold: " + err.Error()) // strings always can
	}
	packed := Pack(plain)
	x.done, x.open, x.size = append(x.done, packed), x.open[:0], x.size+int64(len(packed))+3 // quotes and a comma
}

// Pack deflates bytes and writes them in base64. One version of Go gives the same bytes for the same input on every
// machine; another may give others, which say the same.
func Pack(plain []byte) string {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic("drill: " + err.Error()) // memory takes all
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
