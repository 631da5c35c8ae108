package accept

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"infnet/harness/fault"
	"infnet/harness/pipeline/folder"
	"infnet/harness/regular"
	"infnet/harness/result"
)

// Open reads a run: its folder, or an accepted file.
func Open(path string) (*Run, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Data.Wrap(fmt.Errorf("%s does not exist: name the folder of a run, or the file that infnet accept "+
			"wrote", path))
	}
	if err != nil {
		return nil, fault.Data.Wrap(err)
	}
	if info.IsDir() {
		return Folder(path)
	}
	return ReadFile(path)
}

// Folder reads the folder of a run.
func Folder(dir string) (*Run, error) {
	results, err := result.ReadFolder(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{
		Format: format, Version: Version, Study: results.Name, Program: results.Spec.Program, Level: results.Level,
		Spec: results.Spec.SpecHash, Models: results.Models, Answers: results.Spec.Answers, Name: dir,
	}
	made, err := folder.ReadRecipe(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && Exists(filepath.Join(dir, folder.RunFile)) {
		return nil, err
	}
	r.Settings = made.Settings
	if made.Program != nil {
		r.Program = made.Program.String()
	}
	if len(results.Pools) > 0 {
		r.Pools = Digest(results.Pools)
	}
	if r.Results, err = hashFile(filepath.Join(dir, result.ResultsFile)); err != nil {
		return nil, fault.Data.Wrap(err)
	}
	if r.Records, err = hashFile(filepath.Join(dir, result.RecordsFile)); err != nil && len(results.Cascades) > 0 {
		return nil, fault.Data.Wrap(fmt.Errorf("%w; run or analyze the study again", err))
	}
	r.Hash = Sum([]byte(r.Results + r.Records))
	if len(results.Cascades) == 0 {
		return r, nil
	}
	return r, fault.Data.Wrap(r.gather(results, dir))
}

// Exists reports whether there is a file.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Sum is the SHA-256 of bytes, hexadecimal.
func Sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Digest is the SHA-256 of a value as JSON, which must have one.
func Digest(of any) string {
	b, err := json.Marshal(of)
	if err != nil {
		panic("accept: a part of a run has no JSON: " + err.Error())
	}
	return Sum(b)
}

func hashFile(path string) (string, error) {
	file, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
