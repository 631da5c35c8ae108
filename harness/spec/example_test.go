package spec_test

import (
	"fmt"
	"testing/fstest"

	"infnet/harness/spec"
	"infnet/harness/task"
)

// A study that writes nothing down but what it is about: the rest are
// defaults.
func ExampleLoadFS() {
	files := fstest.MapFS{
		"tiny.toml": {Data: []byte(`
study = "tiny"
[[models]]
name    = "student"
backend = "local"
path    = "builtin:tiny-student"
[[models]]
name    = "master"
backend = "local"
path    = "builtin:tiny-master"
[[datasets]]
name   = "reviews"
source = "builtin:reviews"
[[cascades]]
models = ["student", "master"]
`)},
	}
	study, err := spec.LoadFS(files, "tiny.toml", spec.Options{
		Models: fstest.MapFS{"tiny-student/config.json": {}, "tiny-master/config.json": {}},
		Builtin: func(string) (spec.BuiltinSource, error) {
			return spec.BuiltinSource{
				Task: task.Classification, Prompt: "Review: {text}\nSentiment:", Fields: []string{"text"},
				Labels: []spec.Label{{Class: "negative", Word: "negative"}, {Class: "positive", Word: "positive"}},
			}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := study.Datasets[0]
	fmt.Printf("%s: %s, %q, fit part %v\n", study.Cascades[0].Name, d.Task, d.Continuations(), d.Split.Fit)
	fmt.Println(study.Policy.Setting, study.Policy.Target, study.Cost.Model)
	// Output:
	// student+master: classification, [" negative" " positive"], fit part 0.8
	// non-oracle best tflops
}
