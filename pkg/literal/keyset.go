package literal

import (
	"hash/maphash"
	"slices"
)

// keySeed makes the hashes of keys unpredictable.
var keySeed = maphash.MakeSeed()

// keySet remembers which keys an object has, by 64-bit hashes so that many keys
// cost little memory. It never misses a duplicate; that it reports one where
// there is none has a chance of one in 2^64 for two keys.
type keySet struct {
	few   [8]uint64
	count int // of those
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
