package drill

import (
	"encoding/json"
	"strconv"
)

// Block is a piece of JSON that a page holds under a name.
type Block struct{ ID, Text string }

// Head is the block "drill": what there is, without the records.
type Head struct {
	Per    int      `json:"per"` // records of a block of texts
	Parts  []string `json:"parts"`
	Tables []Listed `json:"tables"`
	Stream string   `json:"stream,omitempty"` // address that serves records; empty = the page holds them
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

// Blocks returns what a page holds of the records.
func (s *Set) Blocks() ([]Block, error) {
	head, more := Head{Per: PerBlock, Parts: Parts}, []Block(nil)
	for k, t := range s.Tables {
		listed := Listed{Table: t, Records: t.Len(), Held: !t.left, Texts: t.texts != nil, First: s.first(k)}
		if listed.Held {
			plain, err := t.Columns()
			if err != nil {
				return nil, err
			}
			packed, err := pack(plain)
			if err != nil {
				return nil, err
			}
			more = append(more, quoted("drill", k, packed))
		}
		if t.texts != nil {
			more = append(more, quoted("drill-texts", k, t.texts.done))
		}
		head.Tables = append(head.Tables, listed)
	}
	first, err := json.Marshal(head)
	return append([]Block{{"drill", string(first)}}, more...), err
}

// Streamed returns what a page holds whose records are served from an address: ADDRESS/K/columns, ADDRESS/K/record/N
// and ADDRESS/K/search?text=… of the table at place K.
func (x *Index) Streamed(address string) ([]Block, error) {
	head := Head{Per: PerBlock, Parts: Parts, Stream: address}
	for k, t := range x.Tables {
		head.Tables = append(head.Tables, Listed{Table: t, Records: t.Len(), Held: true, Texts: true, First: k})
	}
	first, err := json.Marshal(head)
	return []Block{{"drill", string(first)}}, err
}

// quoted is a block of texts in base64, which need no escapes.
func quoted(name string, place int, of any) Block {
	text, err := json.Marshal(of)
	if err != nil {
		panic("drill: text that JSON cannot hold: " + err.Error()) // strings always can
	}
	return Block{name + "-" + strconv.Itoa(place), string(text)}
}
