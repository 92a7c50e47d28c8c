package dialect

import (
	"iter"
	"math/bits"
	"slices"
	"strings"
)

// An infoString is the info string after a run of fence characters, while it can be that of a fence of calls.
type infoString struct {
	fences     []fenceCandidate // all fences of calls
	at         int              // its offset
	length     int              // bytes read
	candidates uint64           // fences of calls it can open, one bit each
	nearMatch  string           // a known info string that it starts with
	firstWord  []byte           // its first bytes, for a foreign fence
}

// maxInfoWord bounds the kept part of a foreign info string.
const maxInfoWord = 16

// nonCodeInfos are info strings of fences into which some models put their calls. In other fences markers are quoted.
var nonCodeInfos = []string{"", "json", "jsonl", "xml", "tool", "tools", "tool_call", "tool_calls", "function"}

// isLanguage reports whether an info string names a language.
func (i *infoString) isLanguage() bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(string(i.firstWord))), " ")
	return !slices.Contains(nonCodeInfos, word)
}

// acceptByte reports whether a byte, in any case, continues a candidate info string, and keeps those candidates.
func (i *infoString) acceptByte(c byte) bool {
	fits := uint64(0)
	for k, f := range i.fences {
		if i.candidates>>k&1 != 0 && i.length < len(f.info) && f.info[i.length] == lower(c) {
			fits |= 1 << k
		}
	}
	if fits == 0 {
		return false
	}
	i.candidates = fits
	return true
}

// keepCompleteCandidates keeps the candidates whose info string has been read completely.
func (i *infoString) keepCompleteCandidates(keep func(f *fenceSpec) bool) {
	for k, f := range i.fences {
		if len(f.info) != i.length || !keep(f.fenceSpec) {
			i.candidates &^= 1 << k
		}
	}
}

// canEndAt reports whether a byte ends a candidate info string, in a foreign fence or not.
func (i *infoString) canEndAt(c byte, inForeign bool) bool {
	before := i.candidates
	i.keepCompleteCandidates(func(f *fenceSpec) bool {
		glued := strings.IndexByte(f.adjacent, c) >= 0
		if f.info == "" {
			return glued || isNewline(c) && !inForeign
		}
		return glued || isSpace(c)
	})
	if i.candidates != 0 {
		return true
	}
	i.candidates = before
	return false
}

// canEndText reports whether the text may end after the info string.
func (i *infoString) canEndText() bool {
	i.keepCompleteCandidates(func(f *fenceSpec) bool { return f.info != "" })
	return i.candidates != 0
}

// candidateFences iterates over the candidates.
func (i *infoString) candidateFences() iter.Seq[fenceCandidate] {
	return func(yield func(fenceCandidate) bool) {
		for fits := i.candidates; fits != 0; fits &= fits - 1 {
			if !yield(i.fences[bits.TrailingZeros64(fits)]) {
				return
			}
		}
	}
}

// matchContentStart returns the kind of fence that starts with a text.
func (i *infoString) matchContentStart(text []byte) (fenceCandidate, verdict) {
	for f := range i.candidateFences() {
		v := yes
		if f.lookahead != nil {
			v = f.lookahead(text)
		}
		if v != no {
			return f, v
		}
	}
	return fenceCandidate{}, no
}

// certainFence returns the kind of fence that the info string alone determines.
func (i *infoString) certainFence() (fenceCandidate, verdict) {
	for f := range i.candidateFences() {
		if f.certain {
			return f, yes
		}
	}
	return fenceCandidate{}, no
}
