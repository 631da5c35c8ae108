package gpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The texts of real programs: of nvidia-smi 535 to 570, as NVIDIA's manual and the MIG User Guide show them.
const (
	twoL4 = "0, GPU-11111111-2222-3333-4444-555555555555, NVIDIA L4, 23034, 22564, 570.86.15, [N/A]\n" +
		"1, GPU-66666666-2222-3333-4444-555555555555, NVIDIA L4, 23034, 1024, 570.86.15, [N/A]\n"
	mixedPair = "0, GPU-11111111-2222-3333-4444-555555555555, NVIDIA L4, 23034, 22564, 570.86.15, [N/A]\n" +
		"1, GPU-66666666-2222-3333-4444-555555555555, NVIDIA H100 80GB HBM3, 81559, 81000, 570.86.15, Disabled\n"
	divided = "0, GPU-11111111-2222-3333-4444-555555555555, NVIDIA A100-SXM4-80GB, 81920, 81000, 570.86.15, Enabled\n" +
		"1, GPU-66666666-2222-3333-4444-555555555555, NVIDIA A100-SXM4-80GB, 81920, 81000, 570.86.15, Disabled\n"
	noDriver = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest " +
		"NVIDIA driver is installed and running.\n"
)

func TestLook(t *testing.T) {
	l4 := smi{Query: twoL4}
	for _, tt := range []struct {
		name    string
		fake    smi
		visible string // CUDA_VISIBLE_DEVICES; "unset" = not set
		order   string
		want    string // of Machine.String, a part
		why     string
	}{
		{name: "two", fake: l4, visible: "unset",
			want: "2 GPUs: GPU 0 (NVIDIA L4, 22.5 GiB), GPU 1 (NVIDIA L4, 22.5 GiB); driver 570.86.15"},
		{name: "one by index", fake: l4, visible: "1",
			want: "1 GPU: GPU 1 (NVIDIA L4, 22.5 GiB); CUDA_VISIBLE_DEVICES hides 1 more"},
		{name: "in another order", fake: l4, visible: "1,0", want: "2 GPUs: GPU 1 (NVIDIA L4, 22.5 GiB), GPU 0"},
		{name: "by UUID", fake: l4, visible: "GPU-66666666-2222-3333-4444-555555555555", want: "1 GPU: GPU 1"},
		{name: "by the beginning of a UUID", fake: l4, visible: "GPU-666", want: "1 GPU: GPU 1"},
		{name: "with spaces", fake: l4, visible: " 1 , 0 ", want: "2 GPUs: GPU 1"},
		{name: "ambiguous", fake: l4, visible: "GPU-", why: "beginning of several UUIDs"},
		{name: "empty", fake: l4, visible: "", why: `CUDA_VISIBLE_DEVICES="" hides 2 GPUs`},
		{name: "minus one", fake: l4, visible: "-1", why: `CUDA_VISIBLE_DEVICES="-1" hides 2 GPUs`},
		{name: "what follows an invalid index is hidden", fake: l4, visible: "1,-1,0", want: "1 GPU: GPU 1"},
		{name: "an index that is not there", fake: l4, visible: "7,0", why: "hides 2 GPUs"},
		{name: "no index and no UUID", fake: l4, visible: "NoDevFiles", why: "hides 2 GPUs"},
		{name: "twice", fake: l4, visible: "0,0", why: "CUDA then sees no GPU at all"},
		{name: "different GPUs by index", fake: smi{Query: mixedPair}, visible: "1",
			why: "names GPUs that differ"},
		{name: "different GPUs in order of the bus", fake: smi{Query: mixedPair}, visible: "1", order: "PCI_BUS_ID",
			want: "1 GPU: GPU 1 (NVIDIA H100 80GB HBM3, 79.6 GiB)"},
		{name: "MIG", fake: smi{Query: divided}, visible: "unset", why: "is divided by MIG"},
		{name: "beside a GPU with MIG", fake: smi{Query: divided}, visible: "1",
			want: "1 GPU: GPU 1 (NVIDIA A100-SXM4-80GB, 80.0 GiB); CUDA_VISIBLE_DEVICES hides 1 more"},
		{name: "memory that is not stated", visible: "unset", want: "1 GPU: GPU 0 (NVIDIA GB10); driver 580.95.05",
			fake: smi{Query: "0, GPU-11111111-2222-3333-4444-555555555555, NVIDIA GB10, [N/A], [N/A], 580.95.05, " +
				"[N/A]\n"}},
		{name: "no driver", visible: "unset", fake: smi{Query: noDriver, Code: 9},
			why: "nvidia-smi: exit status 9: NVIDIA-SMI has failed because"},
		{name: "driver updated", visible: "unset", why: "exit status 18: Failed to initialize NVML:",
			fake: smi{Code: 18,
				Error: "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.144\n"}},
		{name: "none found", visible: "unset", fake: smi{Query: "No devices were found\n", Code: 6},
			why: "No devices were found"},
		{name: "none found, as a success", visible: "unset", fake: smi{Query: "No devices were found\n"},
			why: "No devices were found"},
		{name: "none listed", visible: "unset", fake: smi{}, why: "it lists no GPU"},
		{name: "a GPU that is lost", visible: "unset", why: "GPU is lost", fake: smi{Code: 15,
			Query: "Unable to determine the device handle for GPU 0000:3B:00.0: GPU is lost.  Reboot the system\n"}},
		{name: "a library's warning", visible: "unset", want: "2 GPUs", fake: smi{Query: twoL4,
			Error: "ERROR: ld.so: object 'libx.so' from LD_PRELOAD cannot be preloaded: ignored.\n"}},
		{name: "a warning among the lines", visible: "unset", want: "2 GPUs", fake: smi{Code: 14,
			Query: twoL4 + "WARNING: infoROM is corrupted at gpu 0000:86:00.0\n"}},
		{name: "another failure", visible: "unset", fake: smi{Error: "Field \"x\" is not valid\n", Code: 2},
			why: `exit status 2: Field "x" is not valid`},
		{name: "too few fields", visible: "unset", fake: smi{Query: "0, GPU-1, NVIDIA L4\n"},
			why: "wrong number of fields"},
		{name: "more free than there is", visible: "unset", why: "2000 MiB of 1000 are free",
			fake: smi{Query: "0, GPU-11111111-2222, NVIDIA L4, 1000, 2000, 570.86.15, [N/A]\n"}},
		{name: "negative memory", visible: "unset", why: `memory "-1" is no number of MiB`,
			fake: smi{Query: "0, GPU-11111111-2222, NVIDIA L4, -1, 0, 570.86.15, [N/A]\n"}},
		{name: "an index left out", visible: "unset", why: "GPU 1 follows GPU -1",
			fake: smi{Query: "1, GPU-11111111-2222, NVIDIA L4, 1000, 0, 570.86.15, [N/A]\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			install(t, tt.fake)
			if tt.visible != "unset" {
				t.Setenv("CUDA_VISIBLE_DEVICES", tt.visible)
			}
			if tt.order != "" {
				t.Setenv("CUDA_DEVICE_ORDER", tt.order)
			}
			m := Look(t.Context())
			if !strings.Contains(m.Why, tt.why) || (m.Why == "") != (tt.why == "") || (m.Fix == "") != (tt.why == "") {
				t.Errorf("why %q, fix %q, want %q and a fix", m.Why, m.Fix, tt.why)
			}
			if got := m.String(); !strings.Contains(got, tt.want) {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			if (len(m.Devices) > 0) != (tt.want != "") {
				t.Errorf("%d devices", len(m.Devices))
			}
		})
	}
}

func TestNoProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	unset(t)
	m := Look(t.Context())
	if len(m.Devices) > 0 || !strings.Contains(m.Why, "not on the PATH") || m.Fix == "" {
		t.Errorf("%+v", m)
	}
}

// A driver that hangs does not hold up a study for ever.
func TestHangingProgram(t *testing.T) {
	install(t, smi{Hang: true})
	if m := ask(t.Context(), 50*time.Millisecond); !strings.Contains(m.Why, "no answer in 50ms") || m.Fix == "" {
		t.Errorf("%+v", m)
	}
}

// smi is what an nvidia-smi prints and how it ends. The zero smi lists no GPU.
type smi struct {
	Query string // of --query-gpu, in csv without header and units
	Error string // on standard error
	Code  int    // exit code
	Hang  bool   // it never ends by itself
}

// install makes the fake the nvidia-smi of the test, and unsets the variables that hide GPUs.
func install(t *testing.T, f smi) {
	t.Helper()
	write(t, f)
	unset(t)
}

func unset(t *testing.T) {
	for _, name := range []string{"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"} {
		t.Setenv(name, "") // so that it is restored
		os.Unsetenv(name)
	}
}

// write writes the program and puts its folder first on the PATH.
func write(t *testing.T, f smi) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n"
	if f.Hang {
		script += "exec sleep 600\n"
	}
	script += fmt.Sprintf("case \"$1\" in --query-gpu=*) cat '%s/query' ;; *) exit 2 ;; esac\n", dir)
	script += fmt.Sprintf("cat '%s/error' >&2\nexit %d\n", dir, f.Code)
	for name, text := range map[string]string{"query": f.Query, "error": f.Error, "nvidia-smi": script} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", strings.Join([]string{dir, os.Getenv("PATH")}, string(os.PathListSeparator)))
}
