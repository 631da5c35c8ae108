package drill

import (
	"encoding/binary"
	"math"
	"strconv"
)

// Column says where a column lies in a table's bytes. Numbers are little-endian, and a column of numbers of k bytes
// begins at a multiple of k, so that a browser reads it in place.
type Column struct {
	Name string `json:"name"` // see Columns
	Type string `json:"type"` // u8, u16, u32, f64 or text
	At   int    `json:"at"`
	Size int    `json:"size"` // in bytes
}

// packer appends columns.
type packer struct {
	bytes   []byte
	columns []Column
}

// Columns returns the table's records as bytes, and what lies where:
//
//	row            where the record is in the dataset's source, from 1
//	id, id.length  its id in UTF-8 and the bytes of it; absent where ids are the numbers of rows
//	part, class    places in Parts and in the table's classes
//	M.state        of model M: 1 answered, 2 right, 4 refused
//	M.class        what it answered, a place in the classes; absent without classes
//	M.beta         its confidence in millionths
//	M.cost         the cost of its answer, or M.cost.code a place in M.cost.value
//	M.error        its error where errors are shares
//	way.P          of policy P: a place in its ways; absent where all records go the same way
func (t *Table) Columns() ([]byte, []Column) {
	p := &packer{}
	for m := range t.answers {
		p.numbers(name(m, "cost"), t.answers[m].cost)
		if t.Soft {
			p.floats(name(m, "error"), t.answers[m].err)
		}
	}
	p.whole("row", t.row)
	for m := range t.answers {
		p.whole(name(m, "beta"), t.answers[m].beta)
	}
	p.codes("class", t.class, len(t.Classes))
	for m := range t.answers {
		p.codes(name(m, "class"), t.answers[m].class, len(t.Classes))
	}
	if t.ids != nil {
		p.texts("id", t.ids)
	}
	p.small("part", t.part)
	for m := range t.answers {
		p.small(name(m, "state"), t.answers[m].state)
	}
	for k, ways := range t.ways {
		if ways != nil {
			p.small("way."+strconv.Itoa(k), ways)
		}
	}
	return p.bytes, p.columns
}

// name is the name of a column of a model.
func name(model int, what string) string { return strconv.Itoa(model) + "." + what }

// begin begins a column of numbers of so many bytes.
func (p *packer) begin(name, kind string, width int) *Column {
	for len(p.bytes)%width != 0 {
		p.bytes = append(p.bytes, 0)
	}
	p.columns = append(p.columns, Column{Name: name, Type: kind, At: len(p.bytes)})
	return &p.columns[len(p.columns)-1]
}

func (p *packer) end(c *Column) { c.Size = len(p.bytes) - c.At }

// numbers appends floating-point numbers, by code where few differ: costs by tokens, or fixed ones.
func (p *packer) numbers(name string, values []float64) {
	codes, at, distinct := make([]uint32, len(values)), map[float64]uint32{}, []float64(nil)
	for i, v := range values {
		code, ok := at[v]
		if !ok {
			code = uint32(len(distinct))
			at[v], distinct = code, append(distinct, v)
		}
		codes[i] = code
	}
	if 3*len(distinct) > len(values) && len(values) > 16 {
		p.floats(name, values)
		return
	}
	p.floats(name+".value", distinct)
	p.codes(name+".code", codes, len(distinct))
}

func (p *packer) floats(name string, values []float64) {
	c := p.begin(name, "f64", 8)
	for _, v := range values {
		p.bytes = binary.LittleEndian.AppendUint64(p.bytes, math.Float64bits(v))
	}
	p.end(c)
}

func (p *packer) whole(name string, values []uint32) {
	c := p.begin(name, "u32", 4)
	for _, v := range values {
		p.bytes = binary.LittleEndian.AppendUint32(p.bytes, v)
	}
	p.end(c)
}

// codes appends numbers below n in as few bytes as hold them.
func (p *packer) codes(name string, values []uint32, n int) {
	switch {
	case n <= 1: // all are 0
	case n <= 1<<8:
		c := p.begin(name, "u8", 1)
		for _, v := range values {
			p.bytes = append(p.bytes, byte(v))
		}
		p.end(c)
	case n <= 1<<16:
		c := p.begin(name, "u16", 2)
		for _, v := range values {
			p.bytes = binary.LittleEndian.AppendUint16(p.bytes, uint16(v))
		}
		p.end(c)
	default:
		p.whole(name, values)
	}
}

func (p *packer) small(name string, values []uint8) {
	c := p.begin(name, "u8", 1)
	p.bytes = append(p.bytes, values...)
	p.end(c)
}

// texts appends the lengths of texts in bytes, then the texts.
func (p *packer) texts(name string, values []string) {
	lengths := make([]uint32, len(values))
	longest := uint32(0)
	for i, s := range values {
		lengths[i] = uint32(len(s))
		longest = max(longest, lengths[i])
	}
	p.codes(name+".length", lengths, int(max(longest, 1))+1)
	c := p.begin(name, "text", 1)
	for _, s := range values {
		p.bytes = append(p.bytes, s...)
	}
	p.end(c)
}
