package local

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
)

// A chat prompt is the published template, written out and encoded as a whole.
// The templates are written from the models' own (chat_template), for one user
// turn, without the system turns that state the day.
func TestChatTemplates(t *testing.T) {
	noThinking := readFolder(t, "qwen3")
	noThinking["tokenizer_config.json"] = &fstest.MapFile{Data: []byte(`{"add_bos_token":false}`)}
	ownFile := with(noThinking, "chat_template.jinja", "{%- if enable_thinking %}")
	for _, c := range []struct {
		name   string
		folder fstest.MapFS
		want   string
		end    string
	}{
		{"qwen3, which can think", readFolder(t, "qwen3"),
			"<|im_start|>user\nPROMPT<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n", "<|im_end|>"},
		{"qwen3, template in a file", ownFile,
			"<|im_start|>user\nPROMPT<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n", "<|im_end|>"},
		{"qwen3, which cannot", noThinking, "<|im_start|>user\nPROMPT<|im_end|>\n<|im_start|>assistant\n", "<|im_end|>"},
		{"ministral3", readFolder(t, "ministral3"), "[INST]PROMPT[/INST]", ""},
		{"gemma3", readFolder(t, "gemma3-4b"), "<start_of_turn>user\nPROMPT<end_of_turn>\n<start_of_turn>model\n",
			"<end_of_turn>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := openFS(c.folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, prompt := range []string{"Is it good?", "\n\nIs it\n\n", "  two  words ", "", "123\n"} {
				said := prompt
				if m.turns.trims {
					said = strings.TrimSpace(prompt)
				}
				want := slices.Concat(m.tokens.before, m.tokens.Encode(strings.Replace(c.want, "PROMPT", said, 1)))
				if got := chatted(t, m, backends.Request{Prompt: prompt}).encode(m.tokens); !slices.Equal(got, want) {
					t.Errorf("%q:\n got %q\nwant %q", prompt, m.tokens.Pieces(got), m.tokens.Pieces(want))
				}
			}
			if end, ok := m.tokens.Special(c.end); ok != (m.turns.end >= 0) || ok && int32(end) != m.turns.end {
				t.Errorf("turns end with token %d, want %q", m.turns.end, c.end)
			}
			a := ask(t, m, backends.Request{Mode: backends.Chat, Prompt: "Is it good?", MaxTokens: 2})[0]
			if a.Failure != nil {
				t.Error(a.Failure)
			}
			// what truncation spares: the template, whole
			r := chatted(t, m, backends.Request{Prompt: strings.Repeat("a dull story and a fine cast, ", 40)})
			whole := r.encode(m.tokens)
			got, dropped, f := r.fit(slices.Clone(whole), 60)
			if f != nil || len(got) != 60 || dropped != len(whole)-60 || !slices.Equal(got[:r.keep], whole[:r.keep]) ||
				!slices.Equal(got[60-r.end:], whole[len(whole)-r.end:]) {
				t.Errorf("fitted to 60: %q (%v)", m.tokens.Pieces(got), f)
			}
		})
	}
	none, err := openFS(with(readFolder(t, "qwen3"), "tokenizer.json",
		strings.ReplaceAll(string(readFolder(t, "qwen3")["tokenizer.json"].Data), "<|im_end|>", "<|other|>")))
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(t, none, backends.Request{Mode: backends.Chat, Prompt: "x", MaxTokens: 1})[0]; a.Failure == nil ||
		a.Failure.Cause != backends.BadRequest || !strings.Contains(a.Failure.Message, "no chat template") {
		t.Errorf("failure %v, want a bad request", a.Failure)
	}
}

func chatted(t *testing.T, m *Model, r backends.Request) rendered {
	t.Helper()
	out, f := m.chat(&r)
	if f != nil {
		t.Fatal(f)
	}
	return out
}

// What is before the last question, as the models' own templates write it (chat_template of Qwen3,
// Ministral 3 and Gemma 3), written out and encoded as a whole. ChatML's thoughts are those of the last turn alone;
// Gemma has no system turn.
func TestTurnsBeforeTheQuestion(t *testing.T) {
	ministral := readFolder(t, "ministral3")
	tagged := with(ministral, "tokenizer.json", strings.NewReplacer(`"<unk>"`, `"[SYSTEM_PROMPT]"`,
		`"Ġmai":599`, `"[/SYSTEM_PROMPT]":599`, `,"Ġ mai"`, ``, `"added_tokens":[`,
		`"added_tokens":[{"id":599,"content":"[/SYSTEM_PROMPT]","special":true},`).Replace(
		string(ministral["tokenizer.json"].Data)))
	for _, c := range []struct {
		name   string
		folder fstest.MapFS
		want   string
	}{
		{"qwen3", readFolder(t, "qwen3"), "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nGood?<|im_end|>\n" +
			"<|im_start|>assistant\nyes<|im_end|>\n<|im_start|>user\nBad?<|im_end|>\n<|im_start|>assistant\nno<|im_end|>\n" +
			"<|im_start|>user\nIs it?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"},
		{"ministral3", tagged,
			"[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]Good?[/INST]yes</s>[INST]Bad?[/INST]no</s>[INST]Is it?[/INST]"},
		{"gemma3", readFolder(t, "gemma3-4b"), "<start_of_turn>user\nBe brief.\n\nGood?<end_of_turn>\n" +
			"<start_of_turn>model\nyes<end_of_turn>\n<start_of_turn>user\nBad?<end_of_turn>\n<start_of_turn>model\n" +
			"no<end_of_turn>\n<start_of_turn>user\nIs it?<end_of_turn>\n<start_of_turn>model\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := openFS(c.folder)
			if err != nil {
				t.Fatal(err)
			}
			r := backends.Request{Mode: backends.Chat, System: "Be brief.", Prompt: "Is it?", MaxTokens: 2,
				Examples: []backends.Example{{Prompt: "Good?", Answer: "yes"}, {Prompt: "Bad?", Answer: "no"}}}
			want := slices.Concat(m.tokens.before, m.tokens.Encode(c.want))
			if got := chatted(t, m, r).encode(m.tokens); !slices.Equal(got, want) {
				t.Errorf("\n got %q\nwant %q", m.tokens.Pieces(got), m.tokens.Pieces(want))
			}
			if a := ask(t, m, r)[0]; a.Failure != nil || a.Key == (backends.Request{Mode: backends.Chat, Prompt: "Is it?",
				MaxTokens: 2}).Key() {
				t.Errorf("%v, key %v", a.Failure, a.Key)
			}
			r.Prompt = strings.Repeat("a dull story and a fine cast, ", 40)
			x := chatted(t, m, r)
			spared := x.encode(m.tokens)[:x.keep]
			r.Prompt = "Is it?"
			if !slices.Equal(spared, want[:x.keep]) {
				t.Errorf("truncation spares %q", m.tokens.Pieces(spared))
			}
			r.Mode = backends.Raw
			if a := ask(t, m, r)[0]; a.Failure == nil || a.Failure.Cause != backends.BadRequest {
				t.Errorf("mode raw has turns: %v", a.Failure)
			}
		})
	}
}

// What prompts begin with: the tokenizer's template, unless
// tokenizer_config.json says otherwise; tokenizer.model before tokenizer.json.
func TestBeginnings(t *testing.T) {
	ministral, gemma := readFolder(t, "ministral3"), without(readFolder(t, "gemma3-4b"), "tokenizer_config.json")
	for _, c := range []struct {
		name   string
		folder fstest.MapFS
		want   []int32
	}{
		{"the template's", ministral, []int32{1}},
		{"switched off", with(ministral, "tokenizer_config.json", `{"add_bos_token":false}`), nil},
		{"switched on", with(readFolder(t, "qwen3"), "tokenizer_config.json", `{"add_bos_token":true}`), []int32{560}},
		{"none", readFolder(t, "qwen3"), nil},
		{"Gemma's", gemma, []int32{2}},
		{"both files", with(gemma, "tokenizer.json", "not read"), []int32{2}},
	} {
		m, err := openFS(c.folder)
		if err != nil || !slices.Equal(m.tokens.before, c.want) {
			t.Errorf("%s: %v, prompts begin with %v, want %v", c.name, err, m.tokens.before, c.want)
		}
	}
}
