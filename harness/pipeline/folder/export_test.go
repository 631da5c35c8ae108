package folder

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Only what infnet export writes belongs to an export.
func TestExportedFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, Export), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"answers.csv", "notebook.ipynb"} {
		if err := os.WriteFile(filepath.Join(dir, Export, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := Exported(dir); !slices.Equal(got, []string{"answers.csv"}) {
		t.Errorf("Exported = %q", got)
	}
	files, err := written(dir)
	if err != nil || !slices.Equal(files, []string{"export/answers.csv"}) {
		t.Errorf("written = %q, %v", files, err)
	}
}
