package literal

import (
	"hash/maphash"
	"slices"
)

// keySeed makes the hashes of keys unpredictable.
var keySeed = maphash.MakeSeed()

// A keySet holds the keys of an object as 64-bit hashes, so that many keys take little memory.
// It never misses a duplicate. The chance of a false duplicate is 1 in 2^64 for two keys.
type keySet struct {
	few   [8]uint64
	count int // length of few
	many  map[uint64]struct{}
}

// add reports whether the key is new.
func (k *keySet) add(key []byte) bool {
	hash := maphash.Bytes(keySeed, key)
	if k.many != nil {
		before := len(k.many)
		k.many[hash] = struct{}{}
		return len(k.many) > before
	}
	few := k.few[:k.count]
	switch {
	case slices.Contains(few, hash):
		return false
	case len(few) < len(k.few):
		k.few[k.count] = hash
		k.count++
		return true
	}
	k.many = make(map[uint64]struct{}, 2*len(few))
	for _, h := range few {
		k.many[h] = struct{}{}
	}
	k.many[hash] = struct{}{}
	return true
}
