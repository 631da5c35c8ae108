package fakeengine_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/backendtest/fakeengine"
	"infnet/backends/engine/health"
	"infnet/backends/openai"
)

func TestMain(m *testing.M) {
	fakeengine.Main()
	os.Exit(m.Run())
}

var modelID = backends.ModelID{ID: "m", Revision: "r", Kind: backends.OpenAI}

const patience = time.Minute

// start runs an engine's command until the test ends, and returns its output.
func start(t *testing.T, env []string, name string, args ...string) *strings.Builder {
	t.Helper()
	dir := t.TempDir()
	if err := fakeengine.Install(dir, fakeengine.Names()...); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return out
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := health.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// status asks a path; 0 = no answer.
func status(url string) int {
	resp, err := http.Get(url)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// model opens what an engine serves.
func model(t *testing.T, root, served, key string, d time.Duration) *openai.Model {
	t.Helper()
	m, err := openai.Open(backends.Config{
		Model: modelID,
		Settings: &backends.OpenAIConfig{Access: backends.Access{URLs: []string{root + "/v1"}, Served: served,
			APIKey: backends.Secret(key), Timeout: d}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// Each engine, started by the command that starts the real one, serves a student
// and a master.
func TestEnginesServeStudentsAndMasters(t *testing.T) {
	port := freePort(t)
	root := "http://127.0.0.1:" + port
	for _, test := range []struct {
		engine, served, key string
		env, args           []string
		health              string
		mode                backends.Mode
	}{
		{engine: "vllm", served: "/models/student", args: []string{"serve", "/models/student", "--port", port}},
		{engine: "vllm", served: "student", key: "key-12345678", env: []string{"VLLM_API_KEY=key-12345678"},
			args: []string{"serve", "/models/x", "--host=127.0.0.1", "--port=" + port, "--served-model-name", "student"}},
		{engine: "sglang", served: "student", args: []string{"serve", "--model-path", "/models/x", "--port", port,
			"--served-model-name", "student"}},
		{engine: "llama-server", served: "student", key: "key-12345678", env: []string{"LLAMA_API_KEY=key-12345678"},
			args: []string{"-m", "x.gguf", "--alias", "student", "--host", "127.0.0.1", "--port", port}},
		{engine: "ollama", served: "student", env: []string{"OLLAMA_HOST=127.0.0.1:" + port}, args: []string{"serve"},
			health: "/v1/models/student", mode: backends.Chat},
	} {
		t.Run(fmt.Sprint(test.engine, " serves ", test.served), func(t *testing.T) {
			start(t, append(test.env, fakeengine.Settings+"=words=qwerty,_qwerty"), test.engine, test.args...)
			if test.health == "" {
				test.health = "/health"
			} else {
				create(t, port)
			}
			eventually(t, "health", func() bool { return status(root+test.health) == 200 })
			if test.key != "" && status(root+"/v1/models") != 401 {
				t.Error("it answers without its key")
			}
			m := model(t, root, test.served, test.key, time.Minute)
			if test.mode == "" {
				test.mode = backends.Raw
			}
			as, err := m.Answer(t.Context(), []backends.Request{
				{Model: modelID, Mode: test.mode, Prompt: "Review: good food\nSentiment:",
					Labels: []string{" positive", " qwerty"}},
				{Model: modelID, Mode: test.mode, Prompt: "Question: what? Answer:", MaxTokens: 8},
			})
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range as {
				if a.Failure != nil {
					t.Errorf("answer %d: %v", i, a.Failure)
				}
			}
			if len(as[0].Labels) != 2 || as[1].Text == "" {
				t.Errorf("answers %+v", as)
			}
		})
	}
}

// create makes a model in an Ollama, as `ollama create` does.
func create(t *testing.T, port string) {
	t.Helper()
	eventually(t, "ollama create", func() bool {
		cmd := exec.Command("ollama", "create", "student", "-f", filepath.Join(t.TempDir(), "Modelfile"))
		cmd.Env = append(os.Environ(), "OLLAMA_HOST=127.0.0.1:"+port)
		return cmd.Run() == nil
	})
}

func TestMisbehaviours(t *testing.T) {
	port := freePort(t)
	root := "http://127.0.0.1:" + port
	ask := func(m *openai.Model, prompt string) error {
		as, err := m.Answer(context.Background(), []backends.Request{
			{Model: modelID, Mode: backends.Raw, Prompt: prompt + ":", MaxTokens: 2}})
		if err == nil && as[0].Failure != nil {
			err = as[0].Failure
		}
		return err
	}
	up := func(t *testing.T, settings string) *openai.Model {
		start(t, nil, "vllm", "serve", "student", "--port", port, "--fake="+settings)
		eventually(t, "health", func() bool { return status(root+"/health") == 200 })
		return model(t, root, "student", "", time.Minute)
	}
	t.Run("healthy before it answers", func(t *testing.T) {
		m := up(t, "lags=700ms")
		var f *backends.Failure
		if err := ask(m, "a"); !errors.As(err, &f) || !f.Temporary() || f.Status != 503 {
			t.Errorf("the first answer: %v", err)
		}
		eventually(t, "an answer", func() bool { return ask(m, "a") == nil })
	})
	t.Run("only once", func(t *testing.T) {
		flag := filepath.Join(t.TempDir(), "once")
		for i, want := range []bool{false, true} {
			m := up(t, "dies=1 once="+flag)
			if err := ask(m, "a"); (err == nil) != want {
				t.Errorf("start %d: %v", i+1, err)
			}
			eventually(t, "the end of a dead one", func() bool { return want || status(root+"/health") == 0 })
		}
	})
	t.Run("the port is taken", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		dir := t.TempDir()
		if err := fakeengine.Install(dir, "vllm"); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(filepath.Join(dir, "vllm"), "serve", "student", "--port", port).CombinedOutput()
		if err == nil || !strings.Contains(string(out), fakeengine.Failures["port"]) {
			t.Errorf("it said %s (%v)", out, err)
		}
	})
	t.Run("its version", func(t *testing.T) {
		dir := t.TempDir()
		if err := fakeengine.Install(dir, "vllm"); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(filepath.Join(dir, "vllm"), "--version").Output()
		if err != nil || string(out) != "0.32.0\n" {
			t.Errorf("it said %s (%v)", out, err)
		}
	})
}

// An embedder may be served too.
func TestServesAnEmbedder(t *testing.T) {
	port := freePort(t)
	root := "http://127.0.0.1:" + port
	start(t, nil, "vllm", "serve", "mini", "--runner", "pooling", "--port", port)
	eventually(t, "health", func() bool { return status(root+"/health") == 200 })
	backendtest.RunEmbedder(t, func(t *testing.T) backends.Embedder {
		e, err := openai.OpenEmbedder(backends.Config{Model: backends.ModelID{ID: "e", Kind: backends.OpenAI},
			Settings: &backends.OpenAIConfig{Access: backends.Access{URLs: []string{root + "/v1"}, Served: "mini"}}})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}, backendtest.EmbedderOptions{Texts: []string{"a film", "a book", "a play", "two\nlines", "five"}})
}
