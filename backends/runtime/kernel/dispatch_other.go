//go:build !amd64 || purego

package kernel

func fastest() ops { return portable }

func variants() []ops { return []ops{portable} }
