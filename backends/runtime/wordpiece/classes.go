package wordpiece

import (
	_ "embed" // classes.json
	"encoding/json"
	"unicode"
)

// The classes of characters are those of tokenizers 0.23.3: an older Unicode than Go's, so that newer characters are
// split as the published models' training saw them. testdata/make_fixtures.py writes them.
//
//go:embed classes.json
var classesJSON []byte

var (
	other       = class("other")       // what cleaning drops: control, format and private use
	nonspacing  = class("nonspacing")  // the marks that accents are made of
	punctuation = class("punctuation") // what stands alone
)

// class is a table of classes.json, whose ranges are sorted and do not cross U+FFFF.
func class(name string) *unicode.RangeTable {
	var all map[string]json.RawMessage
	var ranges [][2]rune
	if json.Unmarshal(classesJSON, &all) != nil || json.Unmarshal(all[name], &ranges) != nil {
		panic("wordpiece: classes.json has no " + name)
	}
	table := new(unicode.RangeTable)
	for _, r := range ranges {
		switch {
		case r[0] > 0xffff:
			table.R32 = append(table.R32, unicode.Range32{Lo: uint32(r[0]), Hi: uint32(r[1]), Stride: 1})
			continue
		case r[1] <= unicode.MaxLatin1:
			table.LatinOffset++
		}
		table.R16 = append(table.R16, unicode.Range16{Lo: uint16(r[0]), Hi: uint16(r[1]), Stride: 1})
	}
	return table
}
