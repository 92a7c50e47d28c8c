package dialect

import (
	"maps"
	"sync/atomic"
)

// A memo caches a value for each key, for concurrent use. The value of a key is always
// the same and must not be modified. There must be few keys: adding one copies the map.
type memo[K comparable, V any] struct{ made atomic.Pointer[map[K]V] }

// getOrBuild returns the value of a key. Concurrent callers may build it more than
// once.
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
