package bbpe

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

var names = []string{"qwen3", "tekken", "bart"}

func load(t testing.TB, name string) *Tokenizer {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	tok, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// expected is testdata/expected.json: what the tokenizers library (version in
// the file) says, by testdata/make_fixtures.py.
type expected struct {
	Texts []string
	Files map[string]struct {
		IDs              [][]int32
		Decoded          []string
		Before, After    []int32
		Sequences        [][]int32
		SequencesDecoded []string `json:"sequences_decoded"`
	}
}

func readExpected(t testing.TB) expected {
	t.Helper()
	b, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var e expected
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	for i, s := range e.Texts {
		text, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		e.Texts[i] = string(text)
	}
	return e
}

func TestEqualToTheLibrary(t *testing.T) {
	want := readExpected(t)
	if len(want.Texts) < 500 {
		t.Fatalf("only %d texts", len(want.Texts))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			tok, w := load(t, name), want.Files[name]
			for i, text := range want.Texts {
				for range 2 { // the second time from memory
					if got := tok.Encode(text); !slices.Equal(got, w.IDs[i]) {
						t.Errorf("%q:\n got %v %q\nwant %v %q", text, got, spelled(tok, got), w.IDs[i], spelled(tok, w.IDs[i]))
					}
				}
				if got := tok.Continue(w.IDs[i]); got != w.Decoded[i] {
					t.Errorf("%q decodes to %q, want %q", text, got, w.Decoded[i])
				}
			}
			if len(w.Sequences) < 100 {
				t.Fatalf("only %d sequences", len(w.Sequences))
			}
			for i, ids := range w.Sequences {
				if got := tok.Continue(ids); got != w.SequencesDecoded[i] {
					t.Errorf("%v %q decodes to %q, want %q", ids, spelled(tok, ids), got, w.SequencesDecoded[i])
				}
			}
			if !slices.Equal(tok.Before, w.Before) || !slices.Equal(tok.After, w.After) {
				t.Errorf("around a text stand %v and %v, want %v and %v", tok.Before, tok.After, w.Before, w.After)
			}
		})
	}
}

func spelled(t *Tokenizer, ids []int32) []string {
	var out []string
	for _, id := range ids {
		out = append(out, t.Text(id))
	}
	return out
}

func TestSpecial(t *testing.T) {
	tok := load(t, "qwen3")
	for _, c := range []struct {
		text      string
		special   bool
		id        int
		shownName string
	}{{"<|im_end|>", true, 562, "<|im_end|>"}, {"<think>", true, 565, "<think>"}, {"the", false, 0, ""}, {"", false,
		0, ""}} {
		id, ok := tok.Special(c.text)
		if ok != c.special || ok && (id != c.id || tok.Text(int32(id)) != c.shownName) {
			t.Errorf("%q: %d, %v, want %d, %v", c.text, id, ok, c.id, c.special)
		}
	}
	if id, ok := tok.ID("Ġthe"); !ok || tok.Text(int32(id)) != " the" {
		t.Errorf("Ġthe is %d, %v", id, ok)
	}
	if got := tok.Text(int32(tok.symbols[0xE2])); got != "<0xE2>" {
		t.Errorf("a lone byte is called %q", got)
	}
	if got := tok.Text(-1) + tok.Text(99999); got != "" {
		t.Errorf("ids out of range are called %q", got)
	}
}

func TestRefusedFiles(t *testing.T) {
	b, err := os.ReadFile("testdata/qwen3.json")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(from, to string) string {
		out := strings.Replace(string(b), from, to, 1)
		if out == string(b) {
			t.Fatalf("the file has no %s", from)
		}
		return out
	}
	for _, c := range []struct{ name, file, want string }{
		{"not JSON", "x", "invalid character"},
		{"unigram", `{"model":{"type":"Unigram","vocab":[["a",0.5]]}}`, "no byte-level BPE"},
		{"empty", `{"model":{"type":"BPE"}}`, "model.vocab is missing or empty"},
		{"dropout", edit(`"dropout":null`, `"dropout":0.1`), "dropout, continuing_subword_prefix, end_of_word_suffix"},
		{"suffix", edit(`"end_of_word_suffix":null`, `"end_of_word_suffix":"</w>"`), "end_of_word_suffix"},
		{"Gemma's", edit(`"byte_fallback":false`, `"byte_fallback":true`), "tokenizer.model, copy that file"},
		{"bytes missing", edit(`"Ġ":`, `"ĠĠĠĠĠ":`), `the vocabulary lacks "Ġ", the token of byte 32`},
		{"merge of three", edit(`"merges":[[`, `"merges":[["a","b","c"],[`), "merge 0 is of 3 tokens: want two"},
		{"merge of one", edit(`"merges":[[`, `"merges":["ab"],"x":[[`), "merge 0 is of 1 tokens: want two"},
		{"merges of both kinds", edit(`"merges":[[`, `"merges":["a b",[`), "want a list of merges, all"},
		{"merge of strangers", edit(`"merges":[[`, `"merges":[["zq","zq"],[`), `merge 0 of "zq" and "zq"`},
		{"negative id", edit(`"!":0`, `"!":-1`), `token "!" has id -1`},
		{"huge id", edit(`"!":0`, `"!":99999999`), `token "!" has id 99999999: want 0 to`},
		{"two of an id", edit(`"!":0`, `"!":1`), `both have id 1`},
		{"added twice", edit(`"content":"<|im_start|>"`, `"content":"!"`),
			`added token "!" has id 561, and 0 in the vocabulary`},
		{"lower case", edit(`{"type":"NFC"}`, `{"type":"Lowercase"}`), `normalizer "Lowercase" is not supported`},
		{"unknown pattern", edit(`\\p{N}|`, `\\p{N}{1,2}|`),
			`is not supported: known are those of GPT-2, Qwen 2 and 3 and Mistral's tekken`},
		{"text dropped", edit(`"behavior":"Isolated"`, `"behavior":"Removed"`), "pre_tokenizer: is not supported"},
		{"other words", edit(`{"type":"Split"`, `{"type":"Whitespace"`), "pre_tokenizer: is not supported"},
		{"two patterns", edit(`"use_regex":false`, `"use_regex":true`), "pre_tokenizer: is not supported"},
		{"blanks twice", edit(`"add_prefix_space":false,"trim_offsets":true,"use_regex":false`,
			`"add_prefix_space":true,"trim_offsets":true,"use_regex":false`), "want ByteLevel without add_prefix_space"},
		{"no bytes", edit(`"pre_tokenizer":{`, `"pre_tokenizer":null,"x":{`), "pre_tokenizer: is missing"},
		{"no decoder", edit(`"decoder":{`, `"x":{`), "decoder: want ByteLevel"},
		{"other decoder", edit(`"decoder":{"type":"ByteLevel"`, `"decoder":{"type":"WordPiece"`), "decoder: want ByteLevel"},
		{"single words", edit(`"single_word":false`, `"single_word":true`), "single_word and rstrip are not supported"},
		{"other template", edit(`"post_processor":{"type":"ByteLevel"`, `"post_processor":{"type":"StripProcessing"`),
			`post_processor: "StripProcessing" is not supported`},
		{"template of a stranger", edit(`"post_processor":{"type":"ByteLevel"`,
			`"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>"}},{"Sequence":{"id":"A"}}],"special_tokens":{}`), `token "<s>" is not in its special_tokens`},
		{"template without text", edit(`"post_processor":{"type":"ByteLevel"`,
			`"post_processor":{"type":"TemplateProcessing","single":[]`), "leaves the text out"},
		{"template adds nothing known",
			edit(`"post_processor":{"type":"ByteLevel"`,
				`"post_processor":{"type":"RobertaProcessing","cls":["<s>",9999],"sep":["</s>",0]`),
			"it adds token 9999, which does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	b, err := os.ReadFile("testdata/bart.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"added_tokens":[{"id":0,"content":"a"}],"normalizer":{"type":"NFC"},"model":{"type":"BPE","vocab":{"a":0},"merges":["a a",["a","a"]]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if tok, err := Parse(file); err == nil {
			tok.Continue(tok.Encode("a b <unk> é\xff"))
		}
	})
}
