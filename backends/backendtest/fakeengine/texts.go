package fakeengine

// Failures are what real engines print before they exit with code 1, by what is wrong. Traces of Python are left
// out; the lines that are here are as they were printed.
var Failures = map[string]string{
	// vLLM of 2025-03, its issue 14095.
	"oom": `(VllmWorkerProcess pid=195295) ERROR 03-02 19:49:43 [multiproc_worker_utils.py:242] torch.OutOfMemoryError: ` +
		`CUDA out of memory. Tried to allocate 20.00 MiB. GPU 2 has a total capacity of 14.62 GiB of which 3.31 MiB is ` +
		`free. Including non-PyTorch memory, this process has 14.61 GiB memory in use. Of the allocated memory 14.42 GiB is ` +
		`allocated by PyTorch, and 23.14 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is ` +
		`large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation. See documentation for ` +
		`Memory Management (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)
(VllmWorkerProcess pid=195297) ERROR 03-02 19:49:43 [multiproc_worker_utils.py:242] Exception in worker ` +
		`VllmWorkerProcess while processing method load_model.`,
	// vLLM 0.9.1, its issue 20305; the last line of a vLLM of 2026, its issue 44411.
	"memory": `[multiproc_executor.py:492] ValueError: Free memory on device (31.44/47.38 GiB) on startup is less than ` +
		`desired GPU memory utilization (0.95, 45.01 GiB). Decrease GPU memory utilization or reduce GPU memory used by ` +
		`other processes.
ERROR 06-30 13:53:19 [core.py:515] EngineCore failed to start.
(APIServer pid=395085) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}`,
	// vLLM of 2026-04, issue 758 of containers/ramalama.
	"flag": `usage: vllm [-h] [-v]
            {chat,complete,serve,launch,bench,collect-env,run-batch} ...
vllm: error: unrecognized arguments: --temperature 0.8`,
	// vLLM of 2025-04, its issue 13510.
	"weights": `ValueError: Invalid repository ID or local directory specified: ` +
		`'neuralmagic/Meta-Llama-3-8B-Instruct-FP8-dynamic'.
Please verify the following requirements:
1. Provide a valid Hugging Face repository ID.
2. Specify a local directory that contains a recognized configuration file.
   - For Hugging Face models: ensure the presence of a 'config.json'.
   - For Mistral models: ensure the presence of a 'params.json'.`,
	// transformers of 2025-12, pull request 14644 of sgl-project/sglang.
	"gated": `OSError: You are trying to access a gated repo.
Make sure to have access to it at https://huggingface.co/meta-llama/Llama-3.2-1B-Instruct.
401 Client Error. (Request ID: Root=1-695139c1-20c276683bbfa05022511a7b;379c2def-ca77-4fc6-9489-6fc1f7a44e40)

Cannot access gated repo for url https://huggingface.co/meta-llama/Llama-3.2-1B-Instruct/resolve/main/config.json.
Access to model meta-llama/Llama-3.2-1B-Instruct is restricted. You must have access to it and be authenticated to ` +
		`access it. Please log in.`,
	// vLLM of 2024-10, its issue 9763.
	"port": `OSError: [Errno 98] Address already in use`,
}

// died is what vLLM prints when its engine dies under requests: vllm/v1/engine/exceptions.py.
const died = `vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. ` +
	`See stack trace (above) for the root cause.`

// starting are lines such as vLLM prints while it starts.
var starting = []string{
	"INFO [api_server.py] vLLM API server version 0.32.0",
	"INFO [core.py] Initializing a V1 LLM engine (v0.32.0)",
	"INFO [default_loader.py] Loading weights took 0.21 seconds",
	"INFO [kv_cache_utils.py] GPU KV cache size: 699,040 tokens",
	"INFO [launcher.py] Available routes are:",
}
