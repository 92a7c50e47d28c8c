package cmd

import (
	"runtime"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// TestLinearMemory checks that the memory for a text grows linearly with its lines or pieces.
func TestLinearMemory(t *testing.T) {
	const lines = 20_000
	for name, print := range map[string]func(){
		"runs show": func() {
			timeline{}.line(runfile.Record{Body: runfile.Attempt{Attempt: chat.Attempt{Error: strings.Repeat("\n", lines)}}})
		},
		"stream": func() {
			s := textStream{isShown: true}
			for range lines {
				s.print("\n")
			}
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		print()
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 100*lines {
			t.Errorf("%s: %d lines allocate %d bytes", name, lines, got)
		}
	}
}
