package engine

import (
	"slices"
	"strings"
)

// Shell writes the command for a POSIX shell. A secret is not written: its variable is taken from the
// shell's own environment.
func (c Command) Shell() string {
	var words []string
	for _, v := range c.Env {
		if v.Secret {
			words = append(words, v.Name+`="$`+v.Name+`"`)
			continue
		}
		words = append(words, v.Name+"="+Quote(v.Value))
	}
	return strings.Join(append(words, Quoted(c.Args...)), " ")
}

// Quoted writes words so that a shell reads them as they are.
func Quoted(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = Quote(w)
	}
	return strings.Join(out, " ")
}

// Quote writes a word so that a shell reads it as it is.
func Quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,+@%^", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// A server that a study starts gets a stated environment, not all of the shell's, which has everybody's keys: the
// variables below, without those that look like a secret, and over them what the command sets. Each name
// is there once: of two values Python and C read the first, which would be the shell's.
var (
	passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
		"VIRTUAL_ENV", "CPATH", "CC", "CXX", "MODULEPATH", "LOADEDMODULES", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
		"ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy", "HF_TOKEN", "REQUESTS_CA_BUNDLE",
		"CURL_CA_BUNDLE"}
	families = []string{"LC_", "XDG_", "LD_", "DYLD_", "SSL_CERT_", "CONDA_", "PYTHON", "SLURM_", "CUDA_", "NVIDIA_",
		"NCCL_", "CUBLAS_", "CUDNN_", "ROCM_", "HIP_", "HSA_", "OMP_", "GOMP_", "MKL_", "OPENBLAS_", "TORCH", "PYTORCH_",
		"TRITON_", "RAY_", "HF_", "TRANSFORMERS_", "TOKENIZERS_", "VLLM_", "LLAMA_", "GGML_", "FLASHINFER_", "INFNET_"}
	telling = []string{"VLLM_", "LLAMA_", "GGML_", "TORCH", "PYTORCH_", "CUBLAS_", "CUDNN_", "NVIDIA_TF32_OVERRIDE",
		"FLASHINFER_"} // they may change answers
	quiet = []string{"VLLM_LOGGING_", "VLLM_CONFIGURE_LOGGING", "VLLM_CACHE_ROOT", "VLLM_CPU_KVCACHE_SPACE",
		"VLLM_CPU_OMP_THREADS_BIND", "VLLM_HOST_IP", "VLLM_ENGINE_READY_TIMEOUT_S", "TORCHINDUCTOR_CACHE_DIR"}
	keyLike = []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_CREDENTIALS"}
)

func passes(name string) bool {
	if slices.Contains(passed, name) {
		return true
	}
	secret := func(end string) bool { return strings.HasSuffix(strings.ToUpper(name), end) }
	return begins(name, families) && !slices.ContainsFunc(keyLike, secret)
}

func begins(name string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return strings.HasPrefix(name, p) })
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
		if begins(name, telling) && !begins(name, quiet) && !set {
			out = append(out, Variable{Name: name, Value: value})
		}
	}
	return out
}
