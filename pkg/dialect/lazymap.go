package dialect

import (
	"maps"
	"sync/atomic"
)

// A memo keeps what is made of a key for all who ask for it. What is made of a key
// is always the same, and does not change. There must be few keys.
type memo[K comparable, V any] struct{ made atomic.Pointer[map[K]V] }

// getOrBuild returns what is made of a key. It may be made more than once.
func (m *memo[K, V]) getOrBuild(key K, build func() V) V {
	made := m.made.Load()
	if made != nil {
		if v, ok := (*made)[key]; ok {
			return v
		}
	}
	v := build()
	for {
		more := map[K]V{}
		if made != nil {
			maps.Copy(more, *made)
		}
		more[key] = v
		if m.made.CompareAndSwap(made, &more) {
			return v
		}
		made = m.made.Load()
	}
}
