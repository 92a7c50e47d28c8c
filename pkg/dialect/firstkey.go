package dialect

import "oneshot/pkg/literal"

// A firstKey is the beginning of an object in the text.
type firstKey struct {
	keys       []string // keys that count
	stage      keyStage
	quote      byte // around the key; 0 for none
	candidates uint // keys it can be, one bit each
	length     int  // bytes read of the key
	isQuoted   bool // a quote or backslash precedes the object
}

// A keyStage is the part of the beginning being read.
type keyStage int

const (
	beforeKey keyStage = iota
	withinKey
	afterKey
)

// isKeyCompleteAtColon reports whether a colon now would complete a key that counts.
func (k *firstKey) isKeyCompleteAtColon() bool {
	return k.stage == afterKey || k.stage == withinKey && k.quote == 0 && k.hasWholeCandidate()
}

// hasWholeCandidate reports whether a candidate has been read completely.
func (k *firstKey) hasWholeCandidate() bool {
	for i, key := range k.keys {
		if k.candidates>>i&1 != 0 && len(key) == k.length {
			return true
		}
	}
	return false
}

// acceptByte reports whether a byte continues a key that counts.
func (k *firstKey) acceptByte(c byte) bool {
	switch k.stage {
	case beforeKey:
		switch {
		case isSpace(c):
		case c == '"' || c == '\'':
			k.stage, k.quote = withinKey, c
		default:
			k.stage = withinKey
			return k.acceptKeyByte(c)
		}
	case withinKey:
		if !k.hasWholeCandidate() || c != k.quote && (k.quote != 0 || !isSpace(c)) {
			return k.acceptKeyByte(c)
		}
		k.stage = afterKey
	case afterKey:
		return isSpace(c)
	}
	return true
}

// acceptKeyByte reports whether a byte continues a candidate, and keeps those candidates.
func (k *firstKey) acceptKeyByte(c byte) bool {
	fits := uint(0)
	for i, key := range k.keys {
		if k.length < len(key) && key[k.length] == c {
			fits |= k.candidates & (1 << i)
		}
	}
	k.candidates = fits
	k.length++
	return fits != 0
}

// A skippedObject is a JSON object in the text without calls.
type skippedObject struct {
	lit       *literal.Scanner
	fence     literal.Fence // ends the object
	emittedTo int           // offset up to which it has been emitted
}
