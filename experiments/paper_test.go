package experiments_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/published"
	"infnet/reports"
)

var update = flag.Bool("update", false, "write generated files anew")

// The page of the audit is what the numbers say now.
func TestAuditPage(t *testing.T) {
	b, err := published.Read(os.DirFS("paper"))
	if err != nil {
		t.Fatal(err)
	}
	findings, err := published.Audit(b)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := reports.WriteAudit(&page, findings); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("paper/AUDIT.md", page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile("paper/AUDIT.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("paper/AUDIT.md is out of date; go generate ./experiments (-want +got):\n%s", diff)
	}
}
