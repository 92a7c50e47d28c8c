package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// nonceBytes is how many random bytes a nonce has: few enough for a model to copy without
// a slip, and more than a page could hold guesses at.
const nonceBytes = 6

// A nonce is the word that marks fences of calls. The words of a run come from its seed,
// one after the other, so that a replay has the same.
type nonce struct {
	word  string // "" where fences are not marked
	drawn uint64
}

// next returns the next nonce that stands in none of some texts.
func (n nonce) next(seed [32]byte, texts ...string) nonce {
	for {
		n.drawn++
		sum := sha256.Sum256(binary.BigEndian.AppendUint64(append([]byte("nonce"), seed[:]...), n.drawn))
		n.word = hex.EncodeToString(sum[:nonceBytes])
		if !n.occursIn(texts...) {
			return n
		}
	}
}

// occursIn reports whether one of some texts says the word.
func (n nonce) occursIn(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), n.word) })
}

// drawNonce marks the fences of the run with a new word, if they are to be marked, which none
// estimate some texts says.
func (r *run) drawNonce(texts ...string) error {
	if !r.cfg.Nonce {
		return nil
	}
	r.nonce = r.nonce.next(r.cfg.Seed, texts...)
	var ok bool
	if r.cfg.Writes, ok = r.cfg.Writes.Marked(r.nonce.word); !ok {
		return &NonceError{Dialect: r.cfg.Writes.Name}
	}
	return nil
}

// renewNonce marks fences with another word when the results of a batch say the current one:
// who knows it could write calls. It returns what the model is told of that, or "".
func (r *run) renewNonce(b *batch) (string, error) {
	texts := b.resultTexts()
	if !r.cfg.Nonce || !r.nonce.occursIn(texts...) {
		return "", nil
	}
	if err := r.drawNonce(texts...); err != nil {
		return "", err
	}
	return r.texts.Fence(r.cfg.Writes.Fence()), nil
}

// resultTexts returns the results of the batch, each as it is written and with all of its strings
// without escapes.
func (b *batch) resultTexts() []string {
	var all []string
	for _, s := range b.invocations {
		all = append(all, string(s.shown), decodedStrings(s.shown))
	}
	return all
}

// decodedStrings returns what the strings of a JSON text mean, one behind the other.
func decodedStrings(text []byte) string {
	var b strings.Builder
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true))
	for token, err := dec.ReadToken(); err == nil; token, err = dec.ReadToken() {
		if token.Kind() == '"' {
			b.WriteString(token.String() + "\n")
		}
	}
	return b.String()
}
