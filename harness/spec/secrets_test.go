package spec_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"infnet/harness/spec"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// However a secret gets into a spec, no error repeats it.
func TestErrorsHideSecrets(t *testing.T) {
	for _, line := range []string{
		`api_key = "hunter2"`, `API_KEY='hunter2'`, `"api_key" = "hunter2" junk`, `api_key = hunter2`, `api_key = "hunter2`,
		`api_key = """hunter2"""`, `api_key = ["hunter2"]`, `api_key = { value = "hunter2" }`, `api_key = "a\"hunter2"`,
		`token = "hunter2"`, `password = "hunter2"`, `authorization = "Bearer hunter2"`, `openai-api-key = "hunter2"`,
		`key = "hunter2"`,
		`api_key_env = "hunter2-hunter2"`, `api_key_env = "sk_hunter2hunter2"`, `api_key_env = 7 # hunter2`,
		`extra = { api_key = "hunter2" }, x`,
		`headers = { Authorization = "hunter2" }`, `headers_env = { Authorization = "hunter2 hunter2" }`,
		`headers_env = { Authorization = "hf_hunter2hunter2" }`,
		`urls = ["http://hunter2@host/v1"]`, `urls = ["http://me:hunter2@host/v1"]`,
		`urls = ["http://me:@hunter2/@host/v1", 3]`,
		`urls = ["https://host/v1?sig=hunter2"]`, `urls = ["https://host/v1#hunter2"]`,
		`urls = ["https://me:hunter2@host:x/v1"]`, `urls = "http://me:hunter2@host"`,
		`url = "http://me:hunter2@host/v1"`, `labels = "sk-hunter2hunter2" junk`,
	} {
		for _, text := range []string{
			served("", "", gpu+line),
			served("", "", "[backends]\ngpu = { kind = \"openai\", "+line+" }"),
			served(line, "", gpu),
		} {
			_, err := spec.LoadFS(files(text), "valid/s.toml", options())
			if err == nil {
				t.Errorf("%s: it loads", line)
			} else if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: the error repeats it:\n%v", line, err)
			}
		}
	}
}

// What is no secret is shown.
func TestErrorsShowTheRest(t *testing.T) {
	for _, line := range []string{`api_key_env = "MY_KEY" junk`, `max_tokens = 5 junk`,
		`urls = ["http://host:8000/v1"] junk`, `prompt = "Review: {text}" junk`} {
		_, err := spec.LoadFS(files(served("", "", gpu+line)), "valid/s.toml", options())
		if err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("the error does not show the line %s:\n%v", line, err)
		}
	}
}
