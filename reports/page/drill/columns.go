package drill

import "encoding/json"

// columns are a table's records as JSON: a list for each column, with a value for each record.
type columns struct {
	Row     []uint32   `json:"row"`          // where the record is in the dataset's source, from 1
	IDs     []string   `json:"id,omitempty"` // absent where ids are the numbers of rows
	Part    []uint16   `json:"part"`         // a place in Parts
	Class   []uint32   `json:"class"`        // the reference: a place in the table's classes
	Answers []answers  `json:"answers"`      // by model
	Ways    [][]uint16 `json:"ways"`         // by policy: a place in its ways; null where all records go the same way
}

// Columns returns the table's records as JSON.
func (t *Table) Columns() ([]byte, error) {
	return json.Marshal(columns{t.row, t.ids, t.part, t.class, t.answers, t.ways})
}
