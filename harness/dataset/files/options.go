package files

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"infnet/harness/choice"
	"infnet/harness/dataset"
)

// Format is how a file holds rows.
type Format string

// The formats. All but Parquet may be compressed with gzip.
const (
	JSONL   Format = "jsonl"   // one JSON object a line
	CSV     Format = "csv"     // RFC 4180, first record names the columns
	TSV     Format = "tsv"     // cells between tabs, one row a line, a quote is a quote; first line names the columns
	Parquet Format = "parquet" // Apache Parquet
)

func (f *Format) UnmarshalText(b []byte) error {
	return choice.Decode(f, b, "format", []Format{JSONL, CSV, TSV, Parquet})
}

// Mapping says which column of the source is what. A column is named by a path: "text"; "translation.de" for a key of
// a nested object; "answers.text" for the texts of a list, or of a list of objects; "answers.text[0]" for one of them,
// counted from 0. A column whose name is the whole path wins over the nested reading.
type Mapping struct {
	// logical field → path; empty = every column of text, number or truth value under its own name
	Fields     map[string]string
	ID         string // "" = the row number
	Class      string // "" = none, Class is -1
	References string // "" = none; a text or a list of texts
	Group      string // "" = every row alone
	Part       string // "" = none; a text, see dataset.Example
	Domain     string // likewise

	// Options hold the options of a multiple choice: one column with a list, or a column for each. They become the
	// field "options", and the column of the class or of the references says which is right: by its letter, its text,
	// or its number from 0. The class and the reference are then of the letter that the option has in that field.
	Options []string
}

// Options say what to load.
type Options struct {
	Name    string   // of the dataset, in errors; "" = the path
	Path    string   // of the file; "-" is not special
	Shards  []string // further files of the same source and format, read behind Path in this order
	FS      fs.FS    // what Path is looked up in; nil = the machine's file system
	Format  Format   // "" = by the name's ending: .jsonl .ndjson .json .csv .tsv .parquet, all but the last also with .gz
	Mapping Mapping
	Labels  []dataset.Label // classes in index order; required with Mapping.Class

	// Limit is the number of examples wanted, ≥ 0; 0 = all.
	Limit int

	// Rank, where given with a Limit, makes a sample of the source instead of its beginning: the Limit rows of least
	// rank (ties: least id), in the order of the source. The whole source is read; only the sample is held.
	Rank func(id string) uint64

	// OptionRank ranks texts, for an order of the options that the texts of the row decide; nil = as they stand.
	OptionRank func(texts []string) []uint64
}

// endings are those of the formats' names.
var endings = map[string]Format{".jsonl": JSONL, ".ndjson": JSONL, ".json": JSONL, ".csv": CSV, ".tsv": TSV,
	".tab": TSV, ".parquet": Parquet, ".pq": Parquet}

// formatOf derives the format and the compression from a file's name.
func formatOf(name string, given Format) (f Format, gz bool, err error) {
	inner, gz := strings.CutSuffix(strings.ToLower(name), ".gz")
	if f = cmp.Or(given, endings[filepath.Ext(inner)]); f == "" {
		return "", false, fmt.Errorf("%s: cannot tell the format by the name's ending: want .jsonl, .ndjson, .json, "+
			".csv, .tsv (each also with .gz) or .parquet, or state the format", name)
	}
	if f == Parquet && gz {
		return "", false, fmt.Errorf("%s: a Parquet file inside gzip cannot be read piece by piece: gunzip it first "+
			"(Parquet compresses by itself)", name)
	}
	return f, gz, nil
}
