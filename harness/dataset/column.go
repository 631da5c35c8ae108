package dataset

// ColumnType is the type of a column's values.
type ColumnType string

// The types.
const (
	Text    ColumnType = "text"
	Integer ColumnType = "integer"
	Number  ColumnType = "number"
	Boolean ColumnType = "boolean"
	Mixed   ColumnType = "mixed" // of several types
	Null    ColumnType = "null"  // only nulls were seen
)

// Column describes a column of a source, from its first rows. A nested value gives one Column for
// each of its leaves.
type Column struct {
	Path     string     // what a mapping calls it; "answers.text" for a leaf
	Type     ColumnType // of its values, or of the elements of its lists
	List     bool       // some row holds a list of values
	Values   int        // values seen that are not null
	Distinct int        // different ones among them
	Nulls    int        // rows without a value
	Longest  int        // characters of the longest value
	Samples  []string   // the first different values, at most 5
}
