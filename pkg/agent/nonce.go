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

// drawNonce marks the fences of the run with a new nonce that occurs in none of the texts, if
// Config.Nonce is set.
func (r *run) drawNonce(texts ...string) error {
	if !r.cfg.Nonce {
		return nil
	}
	r.nonce = r.nonce.next(r.cfg.Seed, texts...)
	var ok bool
	if r.cfg.Dialect, ok = r.cfg.Dialect.WithNonce(r.nonce.word); !ok {
		return &NonceError{Dialect: r.cfg.Dialect.Name}
	}
	return nil
}

// renewNonce replaces the nonce if a result of the batch contains it, because the author of that
// data could write calls. It returns the message for the model, or "".
func (r *run) renewNonce(b *batch) (string, error) {
	texts := b.resultTexts()
	if !r.cfg.Nonce || !r.nonce.occursIn(texts...) {
		return "", nil
	}
	if err := r.drawNonce(texts...); err != nil {
		return "", err
	}
	return r.texts.Fence(r.cfg.Dialect.FenceInfo()), nil
}

// resultTexts returns the results of the batch, each encoded and as its decoded strings.
func (b *batch) resultTexts() []string {
	var all []string
	for _, inv := range b.invocations {
		all = append(all, string(inv.envelope), decodedStrings(inv.envelope))
	}
	return all
}

// decodedStrings returns all decoded strings of a JSON text, one per line.
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
