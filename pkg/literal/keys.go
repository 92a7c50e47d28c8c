package literal

import (
	"hash/maphash"
	"slices"
)

// keySeed makes the hashes of keys unpredictable.
var keySeed = maphash.MakeSeed()

// keys remembers which keys an object has, by 64-bit hashes so that many keys
// cost little memory. It never misses a duplicate; that it reports one where
// there is none has a chance of one in 2^64 for two keys.
type keys struct {
	few  []uint64
	many map[uint64]struct{}
}

// add reports whether the key is new.
func (k *keys) add(key []byte) bool {
	hash := maphash.Bytes(keySeed, key)
	if k.many != nil {
		before := len(k.many)
		k.many[hash] = struct{}{}
		return len(k.many) > before
	}
	if slices.Contains(k.few, hash) {
		return false
	}
	k.few = append(k.few, hash)
	if len(k.few) > 16 {
		k.many = make(map[uint64]struct{}, 2*len(k.few))
		for _, h := range k.few {
			k.many[h] = struct{}{}
		}
		k.few = nil
	}
	return true
}
