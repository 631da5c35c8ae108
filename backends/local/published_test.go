package local

import (
	"encoding/json"
	"math"
	"testing"

	"infnet/backends"
	"infnet/harness/cost"
)

// Configs as published (the keys that matter here), and the shapes a study is
// priced by. The parameters are the known counts of each model that is text
// alone, tied weights once, to the last one.
func TestPublishedConfigs(t *testing.T) {
	for _, c := range []struct {
		name, config string
		params       int // 0 = the known count includes what looks at images
		want         backends.Shape
	}{
		{"google/gemma-3-1b-it", `{"attention_bias":false,"attn_logit_softcapping":null,"bos_token_id":2,"eos_token_id":[1,106],"final_logit_softcapping":null,"head_dim":256,"hidden_activation":"gelu_pytorch_tanh","hidden_size":1152,
			"intermediate_size":6912,"max_position_embeddings":32768,"model_type":"gemma3_text","num_attention_heads":4,"num_hidden_layers":26,"num_key_value_heads":1,"query_pre_attn_scalar":256,"rms_norm_eps":1e-06,"rope_local_base_freq":10000,
			"rope_scaling":null,"rope_theta":1000000,"sliding_window":512,"sliding_window_pattern":6,"vocab_size":262144}`, 999885952,
			backends.Shape{Hidden: 1152, Layers: 26, Heads: 4, HeadDim: 256, KVHeads: 1, FeedForward: 6912, Vocabulary: 262144,
				Window: 512, GlobalEvery: 6, Gated: true, Context: 32768}},
		{"google/gemma-3-4b-it", `{"eos_token_id":[1,106],"model_type":"gemma3","text_config":{"hidden_size":2560,"intermediate_size":10240,"model_type":"gemma3_text","num_hidden_layers":34,
			"rope_scaling":{"factor":8.0,"rope_type":"linear"},"sliding_window":1024}}`, 0,
			backends.Shape{Hidden: 2560, Layers: 34, Heads: 8, HeadDim: 256, KVHeads: 4, FeedForward: 10240, Vocabulary: 262208,
				Window: 1024, GlobalEvery: 6, Gated: true, Context: 131072}},
		{"Qwen/Qwen3-0.6B", `{"attention_bias":false,"bos_token_id":151643,"eos_token_id":151645,"head_dim":128,"hidden_act":"silu","hidden_size":1024,"intermediate_size":3072,"max_position_embeddings":40960,"max_window_layers":28,
			"model_type":"qwen3","num_attention_heads":16,"num_hidden_layers":28,"num_key_value_heads":8,"rms_norm_eps":1e-06,"rope_scaling":null,"rope_theta":1000000,"sliding_window":null,"tie_word_embeddings":true,"use_sliding_window":false,"vocab_size":151936}`, 596049920,
			backends.Shape{Hidden: 1024, Layers: 28, Heads: 16, HeadDim: 128, KVHeads: 8, FeedForward: 3072, Vocabulary: 151936,
				Gated: true, Context: 40960}},
		{"mistralai/Ministral-3-3B-Instruct-2512, bfloat16", `{"model_type":"mistral3","text_config":{"head_dim":128,"hidden_act":"silu","hidden_size":3072,"intermediate_size":9216,"max_position_embeddings":262144,"model_type":"ministral3",
			"num_attention_heads":32,"num_hidden_layers":26,"num_key_value_heads":8,"rms_norm_eps":1e-05,"rope_parameters":{"beta_fast":32.0,"beta_slow":1.0,"factor":16.0,"llama_4_scaling_beta":0.1,"mscale":1.0,"mscale_all_dim":1.0,
			"original_max_position_embeddings":16384,"rope_theta":1000000.0,"rope_type":"yarn","type":"yarn"},"sliding_window":null,"tie_word_embeddings":true,"vocab_size":131072}}`, 0,
			backends.Shape{Hidden: 3072, Layers: 26, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 9216, Vocabulary: 131072,
				Gated: true, Context: 262144}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k config
			if err := json.Unmarshal([]byte(c.config), &k); err != nil {
				t.Fatal(err)
			}
			p, err := k.plan()
			if err != nil {
				t.Fatal(err)
			}
			got, params := p.Shape, p.Shape.Params
			if got.Params = 0; got != c.want {
				t.Errorf("shape %+v, want %+v", got, c.want)
			}
			if n := int(math.Round(params * 1e9)); c.params != 0 && n != c.params {
				t.Errorf("%d parameters, want %d", n, c.params)
			}
			c.want.Params = params
			flops, err := cost.FLOPs(p.Shape, 200, 3)
			if want, e := cost.FLOPs(c.want, 200, 3); err != nil || e != nil || flops != want || flops < 2*200*params/2 {
				t.Errorf("%v floating-point operations (%v), want %v (%v)", flops, err, want, e)
			}
		})
	}
}

// The turns of published rope parameters, pair by pair, as transformers 5.23.0
// computes them in float32:
//
//	ROPE_INIT_FUNCTIONS[kind](config, None)
func TestRopeOfPublishedConfigs(t *testing.T) {
	for _, c := range []struct {
		name, rope string
		dim        int
		base       float64
		want       map[int]float64
	}{
		{"Ministral 3", `{"beta_fast":32.0,"beta_slow":1.0,"factor":16.0,"mscale":1.0,"mscale_all_dim":1.0,"original_max_position_embeddings":16384,"rope_type":"yarn"}`, 128, 1e+06, map[int]float64{0: 1, 1: 0.80584222, 16: 0.031622779, 21: 0.010153464, 25: 0.003282066, 32: 0.00033823529, 35: 9.0423004e-05, 38: 1.7115122e-05, 42: 7.2173871e-06, 48: 1.9764234e-06, 63: 7.755861e-08}},
		{"Gemma 3", `{"rope_type":"linear","factor":8.0}`, 256, 1e+06,
			map[int]float64{0: 0.125, 1: 0.11221089, 32: 0.0039528473, 42: 0.0013432598, 51: 0.00050849305, 64: 0.00012500001,
				71: 5.8719859e-05, 76: 3.4230245e-05, 85: 1.2957911e-05, 96: 3.9528468e-06, 127: 1.3924674e-07}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r rope
			if err := json.Unmarshal([]byte(c.rope), &r); err != nil {
				t.Fatal(err)
			}
			turns := turning(c.dim, c.base, *r.Factor)
			if r.kind() == "yarn" {
				var err error
				if turns, err = r.yarn(c.dim, c.base); err != nil {
					t.Fatal(err)
				}
			}
			for i, want := range c.want {
				if math.Abs(turns[i]-want) > 2e-6*want {
					t.Errorf("pair %d turns by %v, want %v", i, turns[i], want)
				}
			}
		})
	}
}
