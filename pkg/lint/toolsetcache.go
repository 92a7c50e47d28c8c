package lint

import (
	"sync"

	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// A toolsetCache holds the latest tool definitions from records, because most records repeat the
// same. It is safe for concurrent use.
type toolsetCache struct {
	mutex sync.Mutex
	sets  map[string]toolset // by text
	order []string           // keys of sets, oldest first
}

// A toolset is a parsed list of definitions.
type toolset struct {
	registry *tool.Registry
	shapes   dialect.Toolset
}

// Limits of a cache.
const (
	maxCachedToolsets = 32
	maxToolsetBytes   = 256 << 10 // longest cached text
)

func newToolsetCache() *toolsetCache { return &toolsetCache{sets: make(map[string]toolset)} }

// getOrParse returns the definitions in a text.
func (t *toolsetCache) getOrParse(text string) (toolset, error) {
	t.mutex.Lock()
	set, ok := t.sets[text]
	t.mutex.Unlock()
	if ok {
		return set, nil
	}
	registry, err := tool.ParseFunctions([]byte(text))
	if err != nil {
		return toolset{}, err
	}
	set = toolset{registry, Options{Tools: registry}.toolShapes()}
	t.store(text, set)
	return set, nil
}

// store caches definitions in place of the oldest, unless another goroutine has.
func (t *toolsetCache) store(text string, set toolset) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if _, ok := t.sets[text]; ok || len(text) > maxToolsetBytes {
		return
	}
	if len(t.order) == maxCachedToolsets {
		delete(t.sets, t.order[0])
		t.order = t.order[1:]
	}
	t.sets[text] = set
	t.order = append(t.order, text)
}
