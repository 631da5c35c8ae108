package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// Column names that are recognised where none is given, best first; the same in
// every command that reads logs.
var (
	confidenceNames  = []string{"confidence", "beta", "score", "student_confidence", "student_score"}
	studentNames     = []string{"student", "student_correct", "student_right", "student_answer", "student_prediction", "student_class"}
	masterNames      = []string{"master", "master_correct", "master_right", "master_answer", "master_prediction", "master_class"}
	classNames       = []string{"class", "label", "prediction", "student_class", "student_prediction"}
	referenceNames   = []string{"reference", "gold", "answer", "truth"}
	idNames          = []string{"id", "query_id", "record_id"}
	groupNames       = []string{"group", "cluster", "source"}
	studentCostNames = []string{"student_cost", "cost_student"}
	masterCostNames  = []string{"master_cost", "cost_master"}
)

// mostClasses is the number of values up to which a column that nobody named
// is taken for classes: more of them are texts.
const mostClasses = 100

// columnFlags name the columns of a log; what no flag names is recognised.
type columnFlags struct {
	Confidence string `help:"Column of the student's confidence in [0,1]. Default: confidence, beta or score." placeholder:"COL"`
	Class      string `help:"Column of the class the student chose. Default: class, label or prediction, where there is one." placeholder:"COL"`
	Single     bool   `help:"One threshold for all: leave classes out, also where there is a column of them."`
	Student    string `help:"Column that says whether the student is right (1, 0, true, false), its score in [0,1], or with a reference its answer. Default: student, student_correct, …" placeholder:"COL"`
	Master     string `help:"The same of the master. Default: master, master_correct, …" placeholder:"COL"`
	Reference  string `help:"Column of the right answer: answers equal to it are right. Default, where student holds answers: reference, gold or answer." placeholder:"COL"`
	Soft       bool   `help:"Read the student's and the master's column as scores in [0,1]; the error is 1 less the score. Default where a score is neither 0 nor 1 and no reference is at hand."`
	ID         string `help:"Column of the query's id, by which records are drawn. Default: id, query_id or record_id, else the row number." placeholder:"COL"`
	Group      string `help:"Column of what queries share (a passage, a conversation): their rows stay together. Default: group, cluster or source, where there is one." placeholder:"COL"`

	oracle bool // the master's answers are the reference
}

// checkColumns refuses flags that contradict each other.
func (c *columnFlags) checkColumns() error {
	switch {
	case c.Single && c.Class != "":
		return fmt.Errorf("--single and --class: a threshold per class is what --single leaves out")
	case c.Soft && c.oracle:
		return fmt.Errorf("--soft and --oracle: scores say how good an answer is, and --oracle compares answers; leave one out")
	case c.Soft && c.Reference != "":
		return fmt.Errorf("--soft and --reference: the columns hold scores or answers, not both; leave one out")
	case c.oracle && c.Reference != "":
		return fmt.Errorf("--oracle and --reference: the right answer is the master's or the reference's; leave one out")
	}
	return nil
}

// recognise fills in the columns that no flag names, by the names they have in
// the file, and returns what it took for what, in words. Columns for which
// spoken says true have another use.
func (c *columnFlags) recognise(columns []dataset.Column, rows []map[string]any, spoken func(column string) bool) []string {
	var found []string
	take := func(into *string, what string, names []string, fits func(dataset.Column) bool) bool {
		if *into != "" {
			return false
		}
		for _, name := range names {
			for _, col := range columns {
				if strings.EqualFold(col.Path, name) && !c.used(col.Path, into) && (spoken == nil || !spoken(col.Path)) && (fits == nil || fits(col)) {
					*into = col.Path
					found = append(found, what+" = "+clean(col.Path))
					return true
				}
			}
		}
		return false
	}
	// What must be there is missed by its usual name.
	must := func(into *string, what string, names []string) {
		if !take(into, what, names, nil) && *into == "" {
			*into = names[0]
		}
	}
	must(&c.Confidence, "confidence", confidenceNames)
	must(&c.Student, "student", studentNames)
	must(&c.Master, "master", masterNames)
	kind := c.kindOf(rows)
	if !c.oracle && !c.Soft && kind != heldTruths {
		take(&c.Reference, "reference", referenceNames, func(col dataset.Column) bool {
			return kind == heldAnswers || allScores(rows, col.Path)
		})
	}
	if kind == heldScores && !c.oracle && c.Reference == "" {
		c.Soft = true
	}
	take(&c.ID, "id", idNames, nil)
	take(&c.Group, "group", groupNames, func(col dataset.Column) bool { return !col.List })
	if !c.Single {
		classes := func(col dataset.Column) bool { return !col.List && col.Distinct <= mostClasses }
		// The student's answer is its class too.
		answer := func(col dataset.Column) bool {
			return col.Path == c.Student && (c.Reference != "" || c.oracle) && classes(col)
		}
		for _, name := range classNames {
			if take(&c.Class, "class", []string{name}, classes) || c.Class != "" {
				break
			}
			if at := slices.IndexFunc(columns, func(col dataset.Column) bool { return strings.EqualFold(col.Path, name) && answer(col) }); at >= 0 {
				c.Class = c.Student
				found = append(found, "class = "+clean(c.Class))
				break
			}
		}
	}
	return found
}

// used reports whether a column has a part already, other than that of into.
func (c *columnFlags) used(column string, into *string) bool {
	for _, field := range []*string{&c.Confidence, &c.Class, &c.Student, &c.Master, &c.Reference, &c.ID, &c.Group} {
		if field != into && *field == column {
			return true
		}
	}
	return false
}

// held is what the columns of student and master hold.
type held int

const (
	heldTruths  held = iota // 1, 0, true, false
	heldScores              // numbers in [0,1], not all of them 0 or 1
	heldAnswers             // anything else: right or wrong by a reference
)

// kindOf tells what the columns of student and master hold.
func (c *columnFlags) kindOf(rows []map[string]any) held {
	kind := heldTruths
	for i, row := range rows {
		for _, column := range []string{c.Student, c.Master} {
			text, err := cell(row, column, i+1)
			if err != nil {
				return heldTruths // reported where it is read
			}
			if _, err := strconv.ParseBool(text); err == nil {
				continue
			}
			if _, err := unitNumber(text); err != nil {
				return heldAnswers
			}
			kind = heldScores
		}
	}
	return kind
}

// allScores reports whether a column holds nothing but numbers in [0,1]: beside
// a reference of that kind such numbers may be answers.
func allScores(rows []map[string]any, column string) bool {
	for i, row := range rows {
		text, err := cell(row, column, i+1)
		if err != nil {
			return false
		}
		if _, err := unitNumber(text); err != nil {
			return false
		}
	}
	return true
}

// columnOf returns the flag's column, else the first of the names that a row has,
// "" where it has none. It is how rows are recognised that come one by one.
func columnOf(flag string, names []string, row files.Row, taken ...string) string {
	if flag != "" {
		return flag
	}
	have := slices.Sorted(maps.Keys(row.Values))
	for _, name := range names {
		for _, column := range have {
			if strings.EqualFold(column, name) && !slices.Contains(taken, column) {
				return column
			}
		}
	}
	return ""
}

// unitNumber reads a confidence.
func unitNumber(text string) (float64, error) { return unitOf("confidence", text) }

// unitOf reads a number in [0,1].
func unitOf(what, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		if _, again := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil && again == nil {
			return 0, fmt.Errorf("%s %q is no number in [0,1]: write a point, not a comma, before the decimals", what, text)
		}
		return 0, fmt.Errorf("%s %q is no number in [0,1]", what, text)
	}
	return v, nil
}

// partedBy says what parts the cells of a CSV file where it is no comma, ""
// where it is.
func partedBy(file string) string {
	sep := files.Separator(file)
	if sep == 0 || sep == ',' {
		return ""
	}
	return fmt.Sprintf("Cells are parted by %q, as the header shows.", files.WrittenSeparator(sep))
}
