package metrics_test

import (
	"fmt"

	"infnet/metrics"
)

func ExampleGet() {
	m, err := metrics.Get(metrics.RougeL)
	if err != nil {
		fmt.Println(err)
		return
	}
	score := m.Score("the policies were running", []string{"a policy runs", "policy was running"})
	fmt.Printf("%s %.3f, of at most %v (%s)\n", m.Title, score, m.High, m.Source)
	// Output: ROUGE-L 0.571, of at most 1 (rouge_score, F, Porter stems, best reference)
}

// Macro F1 of a resample is a function of its confusion matrix, with the
// labels of all the records.
func ExampleMetric_counts() {
	m, err := metrics.Get(metrics.F1Macro)
	if err != nil {
		fmt.Println(err)
		return
	}
	full := []float64{
		1, 1, 0, // of class 0 one is right, one is predicted as class 1
		0, 1, 0,
		0, 0, 1,
	}
	drawn := []float64{1, 1, 0, 0, 1, 0, 0, 0, 0}
	matrix := metrics.Confusion{K: 3}
	value := m.Counts(matrix, full)
	fmt.Printf("%.3f on the records, %.3f where label 2 was not drawn\n", value(matrix, full), value(matrix, drawn))
	// Output: 0.778 on the records, 0.444 where label 2 was not drawn
}
