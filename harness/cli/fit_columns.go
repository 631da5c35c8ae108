package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset"
	"infnet/harness/dataset/files"
)

// Column names that are recognised where none is given, best first.
var (
	confidenceNames = []string{"confidence", "beta", "score", "student_confidence", "student_score"}
	studentNames    = []string{"student", "student_correct", "student_right", "student_answer", "student_prediction", "student_class"}
	masterNames     = []string{"master", "master_correct", "master_right", "master_answer", "master_prediction", "master_class"}
	classNames      = []string{"class", "label", "prediction", "student_class", "student_prediction"}
	referenceNames  = []string{"reference", "gold", "answer", "truth"}
)

// mostClasses is the number of values up to which a column that nobody named
// is taken for classes: more of them are texts.
const mostClasses = 100

// recognise fills in the columns that no flag names, by the names they have in
// the file, and returns what it took for what, in words.
func (c *fitCommand) recognise(columns []dataset.Column, rows []map[string]any) []string {
	var found []string
	take := func(into *string, what string, names []string, fits func(dataset.Column) bool) {
		if *into != "" {
			return
		}
		for _, name := range names {
			for _, col := range columns {
				if strings.EqualFold(col.Path, name) && (fits == nil || fits(col)) {
					*into = col.Path
					found = append(found, what+" = "+clean(col.Path))
					return
				}
			}
		}
		// What must be there is missed by its usual name.
		if fits == nil {
			*into = names[0]
		}
	}
	take(&c.Confidence, "confidence", confidenceNames, nil)
	take(&c.Student, "student", studentNames, nil)
	take(&c.Master, "master", masterNames, nil)
	other := func(col dataset.Column) bool {
		return !slices.Contains([]string{c.Confidence, c.Student, c.Master}, col.Path)
	}
	if !c.Oracle && c.holdsAnswers(rows) {
		take(&c.Reference, "reference", referenceNames, other)
	}
	if !c.Single {
		take(&c.Class, "class", classNames, func(col dataset.Column) bool {
			answers := col.Path == c.Student && (c.Reference != "" || c.Oracle)
			return (other(col) || answers) && col.Path != c.Reference && !col.List && col.Distinct <= mostClasses
		})
	}
	return found
}

// holdsAnswers reports whether the student's column holds answers, not truth
// values: then they are right or wrong by a reference.
func (c *fitCommand) holdsAnswers(rows []map[string]any) bool {
	for i, row := range rows {
		text, err := cell(row, c.Student, i+1)
		if err != nil {
			return false // reported where it is read
		}
		if _, err := strconv.ParseBool(text); err != nil {
			return true
		}
	}
	return false
}

// unitNumber reads a confidence.
func unitNumber(text string) (float64, error) {
	beta, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(beta) || beta < 0 || beta > 1 {
		if _, again := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil && again == nil {
			return 0, fmt.Errorf("confidence %q is no number in [0,1]: write a point, not a comma, before the decimals", text)
		}
		return 0, fmt.Errorf("confidence %q is no number in [0,1]", text)
	}
	return beta, nil
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
