package pipeline_test

import (
	"context"
	"fmt"
	"os"

	"infnet/experiments"
	"infnet/harness/pipeline"
	"infnet/harness/pipeline/folder"
	"infnet/harness/spec"
)

// A program that embeds infnet opens a study, collects what is not on disk,
// analyses it and writes its folder.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "infnet-example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)

	study, err := pipeline.Load(experiments.Files, experiments.Quickstart, spec.Options{Limit: 20})
	if err != nil {
		panic(err)
	}
	opened, err := pipeline.Open(ctx, study,
		pipeline.Options{Store: dir + "/answers", Out: dir + "/run", Program: "example"})
	if err != nil {
		panic(err)
	}
	report, err := opened.Collect(ctx, pipeline.CollectOptions{})
	if err != nil {
		panic(err)
	}
	results, err := opened.Analyze(ctx, false)
	if err != nil {
		panic(err)
	}
	written, err := opened.Write(results, folder.Recipe{Spec: experiments.Quickstart, Limit: 20})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(opened.Models), "models,", len(opened.Datasets), "datasets,", report.Asked(), "answers")
	fmt.Println("complete:", !results.Incomplete(), "policies:", written.Policies > 0, "tables:", written.Tables > 0)
	// Output:
	// 2 models, 4 datasets, 160 answers
	// complete: true policies: true tables: true
}
