package redact_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"infnet/backends/redact"
)

const key = "sk-Proj_9/aZ+very-secret=42"

func percent(s string, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func quoted(s string) string { b, _ := json.Marshal(s); return string(b) }

// encodings are the ways in which servers write what they were sent.
var encodings = []struct {
	name   string
	encode func(string) string
}{
	{"plain", func(s string) string { return s }},
	{"capitals", strings.ToUpper},
	{"percent", url.QueryEscape},
	{"percent, every character", func(s string) string { return percent(s, "%%%02X") }},
	{"percent, small letters", func(s string) string { return percent(s, "%%%02x") }},
	{"JSON", quoted},
	{"JSON, slashes escaped", func(s string) string { return strings.ReplaceAll(quoted(s), "/", `\/`) }},
	{"JSON, every character", func(s string) string { return percent(s, `\u%04x`) }},
	{"JSON, capitals", func(s string) string { return percent(s, `\u%04X`) }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"basic authentication", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s)) }},
	{"basic authentication, a longer name",
		func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user1:" + s + "\n")) }},
	{"base64 for URLs", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("x:" + s)) }},
}

// leaks finds eight characters of a secret in a text, read in each of these ways,
// by other code than that which is tested.
func leaks(s, secret string) string {
	readings := []string{s}
	seen := map[string]bool{s: true}
	{
		for _, r := range readings {
			un, _ := url.QueryUnescape(r)
			path, _ := url.PathUnescape(r)
			var j string
			_ = json.Unmarshal([]byte(r), &j)
			var wrapped string
			_ = json.Unmarshal([]byte(`"`+r+`"`), &wrapped)
			for _, next := range []string{un, path, j, wrapped} {
				if next != "" && !seen[next] {
					seen[next] = true
					readings = append(readings, next)
				}
			}
			for from := range 4 {
				for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
					if from < len(r) {
						cut := strings.TrimRight(r[from:], "=")
						d, _ := e.DecodeString(cut[:len(cut)/4*4])
						if next := string(d); next != "" && !seen[next] {
							seen[next] = true
							readings = append(readings, next)
						}
					}
				}
			}
		}
	}
	low := strings.ToLower(secret)
	for _, r := range readings {
		r = strings.ToLower(r)
		for i := 0; i+8 <= len(low); i++ {
			if strings.Contains(r, low[i:i+8]) {
				return low[i : i+8]
			}
		}
	}
	return ""
}

func TestText(t *testing.T) {
	r := redact.New(key, "tenant-77", "ab")
	for _, e := range encodings {
		for _, around := range [][2]string{{"", ""}, {"Incorrect API key: ", " of yours"}, {`{"message":"`, `"}`},
			{"é%", "%ü"}} {
			said := around[0] + e.encode(key) + around[1]
			got := r.Text(said)
			if found := leaks(got, key); found != "" {
				t.Errorf("%s: %q is in %q", e.name, found, got)
			}
			if !strings.Contains(got, redact.Mark) || !r.Holds(said) || r.Holds(got) {
				t.Errorf("%s: %q became %q", e.name, said, got)
			}
		}
	}
	for said, want := range map[string]string{
		"":                                  "",
		"nothing":                           "nothing",
		"a " + key + " b":                   "a [secret] b",
		key[3:14]:                           "[secret]",
		key[3:10]:                           key[3:10], // seven characters are none
		key + key:                           "[secret]",
		"ab":                                "ab", // too short a secret
		"Tenant-77!":                        "[secret]!",
		"x" + key[:12] + " and " + key[12:]: "x[secret] and [secret]",
		"100 % of 50%, & so on; \\u00":      "100 % of 50%, & so on; \\u00",
	} {
		if got := r.Text(said); got != want {
			t.Errorf("%q became %q, want %q", said, got, want)
		}
	}
	var none *redact.Redactor
	if none.Text(key) != key || none.Holds(key) || redact.New().Holds(key) {
		t.Error("a redactor without secrets")
	}
}

// What servers without keys are given, and headers that hold no secret, are
// words that answers hold by chance.
func TestHoldsNoWords(t *testing.T) {
	for _, c := range []struct {
		secret string
		free   []string // answers without the secret
		held   []string
	}{
		{"EMPTY", []string{"the bag is empty", "EMPTY"}, nil},
		{"none", []string{"none", "None of them"}, nil},
		{"ollama", []string{"ollama"}, nil},
		{"research", []string{"research"}, nil},
		{"sk-no-key-required", []string{"no key is required", "required", "sk-no-key"},
			[]string{"sk-no-key-required", "the sk-no-key-requir"}},
		{"token-abc123", []string{"a token-a"}, []string{"token-abc123", "ken-abc12"}},
		{"https://lab.example.org/cascades", []string{"see https://golang.org", "https://"},
			[]string{"https://lab.example.org/cascades", "//lab.example.org"}},
		{"not-needed", []string{"not needed"}, []string{"not-needed"}},
		{"correct horse battery staple", []string{"a horse battery"}, []string{"correct horse battery"}},
		{"sk-aBcDeFgHiJkLmNoP", nil, []string{"BcDeFgHi", "bcdefghi", "aBcDeFgHiJkLmNoP"}},
		{"deadbeefcafe0123", nil, []string{"cafe0123", "deadbeefcafe0123"}},
	} {
		r := redact.New(c.secret)
		for _, said := range c.free {
			if r.Holds(said) {
				t.Errorf("%q is taken for a part of %q", said, c.secret)
			}
		}
		for _, said := range c.held {
			if !r.Holds(said) {
				t.Errorf("%q is not taken for a part of %q", said, c.secret)
			}
		}
	}
}

// Random secrets, encodings, surroundings and cuts: no eight characters of the
// secret survive.
func FuzzText(f *testing.F) {
	for seed := range uint64(3) { // of 20 texts each; go test -fuzz tries others
		f.Add(seed, seed*7)
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		rng := rand.New(rand.NewPCG(a, b))
		for range 20 {
			random := func(letters string, n int) string {
				out := make([]byte, n)
				for i := range out {
					out[i] = letters[rng.IntN(len(letters))]
				}
				return string(out)
			}
			const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./+=:~"
			secret := random(letters, 8+rng.IntN(60))
			r := redact.New(secret)
			e := encodings[rng.IntN(len(encodings))]
			said := random(letters+` {}":%&\`, rng.IntN(20)) + " " + e.encode(secret) + " " +
				random(letters+` {}":%&\`, rng.IntN(20))
			from := rng.IntN(len(said))
			cut := said[from : from+rng.IntN(len(said)-from+1)]
			for _, text := range []string{said, cut} {
				if got := r.Text(text); leaks(got, secret) != "" || r.Holds(got) {
					t.Fatalf("%s of %q: %q became %q, which holds %q", e.name, secret, text, got, leaks(got, secret))
				}
			}
		}
	})
}

// Hashes and numbers hold eight digits of some key by chance, where answers are many: what the program says itself is
// not altered then. A whole key in it is.
func TestSureLeavesHashesAlone(t *testing.T) {
	keys := []string{"2024", "EMPTY", "org-17", "infnet-9f86d081884c7d659a2feaa0c55ad015"}
	known := redact.New(keys...)
	for _, line := range []string{
		`{"key": "e3b0c44298fc1c149afbf4c8884c7d659427ae41e4649b934ca495991b7852b8"}`, // 884c7d659
		`{"year": 2024, "text": "EMPTY", "org": "org-17", "logprob": -0.2024}`,
	} {
		if got := known.Sure(line); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
	if !known.Holds("884c7d659") {
		t.Error("eight digits of a key pass in an answer")
	}
	if got := known.Sure("a " + keys[3] + " b"); got != "a "+redact.Mark+" b" {
		t.Error(got)
	}
}
