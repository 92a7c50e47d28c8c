package agent

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// nonceBytes is the number of random bytes in a nonce: few enough for a model to copy reliably, too
// many to guess in the space of a page.
const nonceBytes = 6

// A nonce is the word that marks fences of calls. All nonces of a run derive from its seed, so a
// replay has the same ones.
type nonce struct {
	word    string // "" if fences are not marked
	counter uint64
}

// next returns the next nonce that occurs in none of the texts.
func (n nonce) next(seed [32]byte, texts ...string) nonce {
	for {
		n.counter++
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte("nonce"), seed[:]...), n.counter))
		n.word = hex.EncodeToString(sum[:nonceBytes])
		if !n.occursIn(texts...) {
			return n
		}
	}
}

// occursIn reports whether one of the texts contains the nonce.
func (n nonce) occursIn(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), n.word) })
}
