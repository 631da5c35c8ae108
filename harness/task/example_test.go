package task_test

import (
	"fmt"

	"infnet/harness/task"
	"infnet/metrics"
)

func ExampleParseTemplate() {
	t, err := task.ParseTemplate("Review: {text}\nThe sentiment is")
	if err != nil {
		fmt.Println(err)
		return
	}
	prompt, err := t.Render(map[string]string{"text": "A joy from start to finish."})
	fmt.Printf("%q %v\n", prompt, err)
	// Output: "Review: A joy from start to finish.\nThe sentiment is" <nil>
}

func ExampleGrader_Grade() {
	g, err := task.NewGrader(task.GraderOptions{
		Rule: task.ExactMatch, Metrics: []metrics.Name{metrics.TokenF1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	generated := " The Denver Broncos.\nNext question"
	first, last := task.Reply(generated, []string{"\n"})
	answer := task.Response{Text: generated[first:last]}
	grade, err := g.Grade(answer, task.Reference{Texts: []string{"Denver", "Denver Broncos"}})
	fmt.Println(grade.Correct, grade.Err, grade.Scores, err)
	// Output: true 0 map[token-f1:1] <nil>
}
