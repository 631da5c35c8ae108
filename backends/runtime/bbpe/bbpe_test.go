package bbpe

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/backends/runtime/spm"
)

var names = []string{"qwen3", "llama3", "tekken", "bart", "gpt2", "gemma", "llama2"}

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
				if got := decode(tok, w.IDs[i]); got != w.Decoded[i] {
					t.Errorf("%q decodes to %q, want %q", text, got, w.Decoded[i])
				}
			}
			if len(w.Sequences) < 100 {
				t.Fatalf("only %d sequences", len(w.Sequences))
			}
			for i, ids := range w.Sequences {
				if got := decode(tok, ids); got != w.SequencesDecoded[i] {
					t.Errorf("%v %q decodes to %q, want %q", ids, spelled(tok, ids), got, w.SequencesDecoded[i])
				}
			}
			if before, after := tok.Template(); !slices.Equal(before, w.Before) || !slices.Equal(after, w.After) {
				t.Errorf("around a text stand %v and %v, want %v and %v", before, after, w.Before, w.After)
			}
		})
	}
}

// Every text of some of the real data against digests of the library's ids
// (testdata/make_fixtures.py DATA).
func TestEveryTextOfTheRealData(t *testing.T) {
	data := os.Getenv("INFNET_DATA")
	if data == "" {
		t.Skip("set INFNET_DATA to the folder of datasets to compare their texts")
	}
	type digest struct {
		SHA256     string
		Texts, IDs int
	}
	var want struct{ Digests map[string]map[string]digest }
	b, err := os.ReadFile("testdata/digests.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		tok := load(t, name)
		if len(want.Digests[name]) == 0 {
			t.Errorf("%s: no digests", name)
		}
		for file, w := range want.Digests[name] {
			got, h := digest{}, sha256.New()
			eachText(t, filepath.Join(data, file+".jsonl.gz"), func(s string) {
				ids := tok.Encode(s)
				b := binary.LittleEndian.AppendUint32(nil, uint32(len(ids)))
				for _, id := range ids {
					b = binary.LittleEndian.AppendUint32(b, uint32(id))
				}
				h.Write(b)
				got.Texts, got.IDs = got.Texts+1, got.IDs+len(ids)
			})
			if got.SHA256 = hex.EncodeToString(h.Sum(nil)); got != w {
				t.Errorf("%s, %s: %+v, the library: %+v", name, file, got, w)
			}
		}
	}
}

// eachText calls f for every string in a file of JSON lines, objects in order
// of their keys.
func eachText(t *testing.T, path string, f func(string)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			f(v)
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k])
			}
		}
	}
	for d := json.NewDecoder(bufio.NewReader(z)); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		walk(v)
	}
}

// decode is Continue as the library decodes a whole text: without the blank in front that the tokenizer adds.
func decode(t *Tokenizer, ids []int32) string {
	text := t.Continue(ids)
	if t.decoder.strip {
		text = strings.TrimPrefix(text, " ")
	}
	return text
}

func spelled(t *Tokenizer, ids []int32) []string {
	var out []string
	for _, id := range ids {
		out = append(out, t.Text(id))
	}
	return out
}

// Two files of one model, two readers: the ids are the same where the text
// spells out no token of bytes or of control.
func TestSameAsSentencePiece(t *testing.T) {
	file, err := os.ReadFile("../spm/testdata/fallback.model")
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := spm.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	tok := load(t, "gemma")
	part := rapid.OneOf(rapid.StringMatching(`[a-z .,]{0,30}`),
		rapid.SampledFrom([]string{" ", "  ", "the film", "<start_of_turn>", "\n\n", "ü", "中", "😀", "42"}))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
		if a, b := tok.Encode(text), pieces.Encode(text); !slices.Equal(a, b) {
			t.Fatalf("%q: %v, by the other %v", text, a, b)
		}
	})
}

// Whatever is encoded comes back, normalised; and no token's text is lost
// between the pieces.
func TestRoundTrip(t *testing.T) {
	part := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z '\n0-9]{0,12}`),
		rapid.SampledFrom([]string{" ", "  ", "the", "'LL", "\r\n", "e\u0301", "😀", "中文"}))
	for _, name := range []string{"qwen3", "llama3", "tekken", "bart"} {
		t.Run(name, func(t *testing.T) {
			tok := load(t, name)
			rapid.Check(t, func(t *rapid.T) {
				text := strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "")
				want := text
				if name == "qwen3" {
					want = compose{}.apply(text)
				}
				ids := tok.Encode(text)
				if got := tok.Continue(ids); got != want {
					t.Fatalf("%q came back as %q", want, got)
				}
				// what is said up to a token is what the tokens up to it say,
				// but for the character they leave open
				cut := rapid.IntRange(0, len(ids)).Draw(t, "cut")
				said := strings.Join(tok.Pieces(ids)[:cut], "")
				if got := tok.Continue(ids[:cut]); got != said && got != said+"\uFFFD" {
					t.Fatalf("%q: %d tokens say %q alone and %q in company", text, cut, got, said)
				}
			})
		})
	}
}

// The slow way to compose, which long runs of marks take, is the quick one on
// short runs.
func TestComposeLong(t *testing.T) {
	marks := []string{"a", "e", "q", "\u0301", "\u0323", "\u0328", "\u0307", "\u0344", "가", "\u1100", "\u1161", "\u11a8",
		"\u212b", "ǟ", "\u0f71\u0f72", "ﬁ", " "}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(marks), 0, 12).Draw(t, "marks"), "")
		if got, want := composeLong(text), norm.NFC.String(text); got != want {
			t.Fatalf("%+q: %+q, want %+q", text, got, want)
		}
	})
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

// A character that takes several tokens appears with the last of them, and
// what never becomes one is one mark, not three.
func TestPiecesOfOpenCharacters(t *testing.T) {
	tok := load(t, "qwen3")
	b := func(bytes ...byte) (ids []int32) {
		for _, v := range bytes {
			ids = append(ids, tok.symbols[v])
		}
		return ids
	}
	for _, c := range []struct {
		name string
		ids  []int32
		want []string
	}{
		// by hand, from the Unicode Standard's table 3-8 on maximal subparts
		{"whole", b('a', 0xE2, 0x82, 0xAC, 'b'), []string{"a", "", "", "€", "b"}},
		{"cut off", b('a', 0xE2, 0x82), []string{"a", "", "\uFFFD"}},
		{"broken off", b(0xE2, 0x82, 'a'), []string{"", "", "\uFFFDa"}},
		{"no beginning", b(0x82, 0x82), []string{"\uFFFD", "\uFFFD"}},
		{"never valid", b(0xF5, 0xC0, 0x80), []string{"\uFFFD", "\uFFFD", "\uFFFD"}},
		{"surrogate", b(0xED, 0xA0, 0x80), []string{"", "\uFFFD\uFFFD", "\uFFFD"}},
	} {
		if got := tok.Pieces(c.ids); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := tok.Encode("a\xffb"); !slices.Equal(got, tok.Encode("a\uFFFDb")) {
		t.Errorf("a byte that is no text encodes to %v", got)
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
		{"unigram", `{"model":{"type":"Unigram","vocab":[["a",0.5]]}}`, `model type "Unigram" is not supported: want BPE`},
		{"empty", `{"model":{"type":"BPE"}}`, "model.vocab is missing or empty"},
		{"dropout", edit(`"dropout":null`, `"dropout":0.1`), "model.dropout is not supported"},
		{"suffix", edit(`"end_of_word_suffix":null`, `"end_of_word_suffix":"</w>"`), "end_of_word_suffix are not supported"},
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
		{"replacing by pattern", edit(`{"type":"NFC"}`, `{"type":"Replace","pattern":{"Regex":"a"},"content":"b"}`),
			"Replace is only supported for a plain string"},
		{"unknown pattern", edit(`\\p{N}|`, `\\p{N}{1,2}|`),
			`is not supported: known are those of GPT-2, Llama 3, Qwen 2 and 3 and Mistral's tekken`},
		{"text dropped", edit(`"behavior":"Isolated"`, `"behavior":"Removed"`),
			`pre_tokenizer "Split" is not supported in this form`},
		{"other words", edit(`{"type":"Split"`, `{"type":"Whitespace"`), `pre_tokenizer "Whitespace" is not supported`},
		{"two patterns", edit(`"use_regex":false`, `"use_regex":true`),
			"ByteLevel with use_regex after Split is not supported"},
		{"blanks twice", edit(`"add_prefix_space":false,"trim_offsets":true,"use_regex":false`,
			`"add_prefix_space":true,"trim_offsets":true,"use_regex":false`), "add_prefix_space after Split is not supported"},
		{"no bytes", edit(`"pre_tokenizer":{`, `"pre_tokenizer":null,"x":{`),
			"there is no ByteLevel, and model.byte_fallback is not set"},
		{"no decoder", edit(`"decoder":{`, `"x":{`), "decoder is missing"},
		{"other decoder", edit(`"decoder":{"type":"ByteLevel"`, `"decoder":{"type":"WordPiece"`),
			`decoder "WordPiece" is not supported`},
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

func FuzzEncode(f *testing.F) {
	var toks []*Tokenizer
	for _, n := range names {
		toks = append(toks, load(f, n))
	}
	f.Add("It's 12345  words\n\n e\u0301<mask>\xff<r>  ")
	f.Fuzz(func(t *testing.T, text string) {
		for i, tok := range toks {
			ids := tok.Encode(text)
			if !utf8.ValidString(decode(tok, ids)) {
				t.Fatalf("%s: %q decodes to what is no text", names[i], text)
			}
			if names[i] == "llama3" && !strings.Contains(text, "<|") && tok.Continue(ids) != validUTF8(text) {
				t.Fatalf("%q came back as %q", text, tok.Continue(ids))
			}
		}
	})
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
			decode(tok, tok.Encode("a b <unk> é\xff"))
		}
	})
}
