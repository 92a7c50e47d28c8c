package lint

import (
	"sync"

	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// toolsets are the definitions that records bring along. Most bring the same, so that
// some of the latest are kept. They can be used by several goroutines.
type toolsets struct {
	mutex sync.Mutex
	known map[string]toolset // by their text
	texts []string           // of those, the oldest first
}

// A toolset is a list of definitions that has been read.
type toolset struct {
	registry *tool.Registry
	shapes   dialect.Toolset
}

// Bounds of what is kept.
const (
	keptToolsets  = 32
	toolsetLength = 256 << 10 // bytes of the text
)

func newToolsets() *toolsets { return &toolsets{known: make(map[string]toolset)} }

// get returns the definitions of a text.
func (t *toolsets) get(text string) (toolset, error) {
	t.mutex.Lock()
	set, ok := t.known[text]
	t.mutex.Unlock()
	if ok {
		return set, nil
	}
	registry, err := tool.FromFunctions([]byte(text))
	if err != nil {
		return toolset{}, err
	}
	set = toolset{registry, Options{Tools: registry}.toolset()}
	t.keep(text, set)
	return set, nil
}

// keep remembers definitions in the place of the oldest, unless somebody else has.
func (t *toolsets) keep(text string, set toolset) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if _, ok := t.known[text]; ok || len(text) > toolsetLength {
		return
	}
	if len(t.texts) == keptToolsets {
		delete(t.known, t.texts[0])
		t.texts = t.texts[1:]
	}
	t.known[text] = set
	t.texts = append(t.texts, text)
}
