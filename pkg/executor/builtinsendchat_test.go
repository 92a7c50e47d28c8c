package executor

import (
	"os"
	"strings"
	"sync"

	"oneshot/pkg/subprocess"
)

// A screen is a Writer for several goroutines.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *screen) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *screen) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// shell is a program that runs commands from stdin.
var shell = subprocess.Program{Path: "/bin/sh", Env: []string{"PATH=" + os.Getenv("PATH")}}
