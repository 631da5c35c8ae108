package pipeline

import (
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/collect"
	"infnet/harness/spec"
	"infnet/harness/store"
)

// A shard that a process of this machine collects is not collected by a second one; another shard, another store and
// another choice of models are.
func TestOneProcessAShard(t *testing.T) {
	root := t.TempDir()
	study := func(root string, shard collect.Shard, only ...string) *Study {
		st := &Study{Spec: &spec.Study{Name: "s"}, store: store.Open(root, store.Options{})}
		st.options.Shard, st.options.Only = shard, only
		return st
	}
	release, err := alone(study(root, collect.Shard{K: 1, N: 2}))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		study   *Study
		refused bool
	}{
		{"the same", study(root, collect.Shard{K: 1, N: 2}), true},
		{"another shard", study(root, collect.Shard{K: 2, N: 2}), false},
		{"another store", study(t.TempDir(), collect.Shard{K: 1, N: 2}), false},
		{"one model of it", study(root, collect.Shard{K: 1, N: 2}, "m"), false},
		{"no shard, which has the store's own lock", study(root, collect.Shard{}), false},
	} {
		free, err := alone(test.study)
		says := "is being collected on this machine by pid"
		if (err != nil) != test.refused || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", test.name, err)
		}
		if err == nil {
			free()
		}
	}
	lock, err := lock(study(root, collect.Shard{}), "the servers run", "wait")
	if err != nil {
		t.Fatal(err)
	}
	late := study(root, collect.Shard{})
	late.session = &session{ctx: t.Context()} // without a fleet: a server cannot be started
	m := &Model{Model: &spec.Model{Name: "m", Config: backends.Config{Settings: &backends.OpenAIConfig{
		Launch: &backends.Launch{}}}}, study: late}
	says := "the servers of the study s run on this machine by pid"
	if _, err := started(m, m.Config); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("a second process of the study starts a server: %v", err)
	}
	lock()
	release()
	if free, err := alone(study(root, collect.Shard{K: 1, N: 2})); err != nil {
		t.Errorf("after the first has ended: %v", err)
	} else {
		free()
	}
}
