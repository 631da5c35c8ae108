package engine

import (
	"slices"
	"strings"
)

// A server that a study starts gets a stated environment, not all of the shell's, which has everybody's keys: the
// variables below, without those that look like a secret, and over them what the command and the study set. Each name
// is there once: of two values Python and C read the first, which would be the shell's.
var (
	passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
		"VIRTUAL_ENV", "CPATH", "CC", "CXX", "MODULEPATH", "LOADEDMODULES", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
		"ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN",
		"REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NVIDIA_TF32_OVERRIDE", "OMP_NUM_THREADS"}
	families = []string{"LC_", "XDG_", "LD_", "DYLD_", "SSL_CERT_", "CONDA_", "PYTHON", "PYENV_", "SLURM_",
		"CUDA_", "NVIDIA_", "NCCL_", "CUBLAS_", "CUDNN_", "ROCM_", "ROCR_", "HIP_", "HSA_", "MIOPEN_", "GPU_", "UCX_",
		"GLOO_", "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "MALLOC_", "JEMALLOC_",
		"TORCH", "PYTORCH_", "TRITON_", "RAY_", "HF_", "HUGGINGFACE_", "TRANSFORMERS_", "TOKENIZERS_",
		"VLLM_", "SGLANG_", "SGL_", "LLAMA_", "GGML_", "OLLAMA_", "FLASHINFER_", "INFNET_"}
	telling = []string{"VLLM_", "SGLANG_", "SGL_", "LLAMA_", "GGML_", "OLLAMA_", "TRANSFORMERS_", "TORCH", "PYTORCH_",
		"CUBLAS_", "CUDNN_", "NVIDIA_TF32_OVERRIDE", "FLASHINFER_"}
	keyLike = []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_CREDENTIALS"}
)

// passes reports whether servers get a variable of the shell.
func passes(name string) bool {
	if slices.Contains(passed, name) {
		return true
	}
	secret := func(end string) bool { return strings.HasSuffix(strings.ToUpper(name), end) }
	return begins(name, families) && !slices.ContainsFunc(keyLike, secret)
}

// Environ is the whole environment of the server: NAME=value, each name once, secrets included. shell is that of this
// process.
func (c Command) Environ(shell []string) []string {
	values := map[string]string{}
	for _, e := range shell {
		if name, value, ok := strings.Cut(e, "="); ok && passes(name) {
			values[name] = value
		}
	}
	for _, v := range c.Env {
		values[v.Name] = v.Value
	}
	out := make([]string, 0, len(values))
	for name, value := range values {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// inherited are the variables of the shell that a server gets and that may change its answers.
func (c Command) inherited(shell []string) (out []Variable) {
	for _, e := range c.Environ(shell) {
		name, value, _ := strings.Cut(e, "=")
		set := slices.ContainsFunc(c.Env, func(v Variable) bool { return v.Name == name })
		if begins(name, telling) && !begins(name, quietVariables) && !set {
			out = append(out, Variable{Name: name, Value: value})
		}
	}
	return out
}

// begins reports whether a name has one of these beginnings.
func begins(name string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(name, p) })
}
