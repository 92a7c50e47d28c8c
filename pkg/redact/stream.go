package redact

import (
	"strings"
	"unicode/utf8"
)

// A Stream masks secrets in a text that arrives in pieces. Its results together equal the result of [Set.Hide] for the
// whole text. It holds back an end that can be part of a secret, in ordinary text a few bytes.
type Stream struct {
	finder   *finder // nil: nothing to mask
	tail     []byte  // held back
	before   string  // the end of the text that was returned, as it was
	searched int     // length of the tail at the latest search
}

// Stream returns a stream that masks the values of the set.
func (s *Set) Stream() *Stream { return &Stream{finder: s.getFinder()} }

// Write adds a piece and returns the masked text that no later piece can change.
func (s *Stream) Write(piece string) string {
	if s.finder == nil {
		return piece
	}
	s.tail = append(s.tail, piece...)
	if len(s.tail)-s.searched < s.searched/16 { // so that all searches together take linear time
		return ""
	}
	text := string(s.tail)
	return s.release(text, s.finder.settled(text))
}

// Close returns the rest of the text, masked.
func (s *Stream) Close() string {
	if s.finder == nil {
		return ""
	}
	return s.release(string(s.tail), len(s.tail))
}

// release returns the first bytes of the tail, masked: as many as do not split a secret.
func (s *Stream) release(tail string, end int) string {
	s.searched = len(tail)
	if end == 0 {
		return ""
	}
	spans := s.finder.findInContinuation(s.before, tail)
	for i := len(spans) - 1; i >= 0; i-- {
		switch {
		case spans[i].from >= end:
			spans = spans[:i]
		case spans[i].to > end:
			end, spans = outsideEscapes(tail, spans[i].from), spans[:i]
		}
	}
	s.before += tail[:end]
	s.before = s.before[max(0, len(s.before)-maxCutBytes):]
	s.tail = append(s.tail[:0], tail[end:]...)
	s.searched = len(s.tail)
	return maskSpans(tail[:end], spans)
}

// maxCutBytes is how much of the text before a secret decides whether the secret follows a mark of omitted text.
const maxCutBytes = len(truncationNote)

// settled returns the length of the beginning of a text that no later text can turn into a part of a secret, in any reading.
func (f *finder) settled(text string) int {
	end := len(text)
	for _, v := range views(text) {
		if at := f.openPart(v.text); at < len(v.text) {
			end = min(end, v.originalSpan(span{at, at + 1}).from)
		}
	}
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return outsideEscapes(text, end)
}

// outsideEscapes returns the largest index up to end that is in no escape. An escape has no space and only ASCII
// characters.
func outsideEscapes(text string, end int) int {
	if !strings.ContainsAny(text, `\%&`) {
		return end
	}
	for end > 0 && text[end-1] > ' ' && text[end-1] < utf8.RuneSelf {
		end--
	}
	return end
}

// gramLen is the length of the substrings by which parts of secrets are recognised.
const gramLen = 4

type gram [gramLen]byte

// gramsOf returns all substrings of texts.
func gramsOf(texts []string) map[gram]bool {
	grams := map[gram]bool{}
	for _, text := range texts {
		for i := range len(text) - gramLen + 1 {
			grams[gram([]byte(text[i:i+gramLen]))] = true
		}
	}
	return grams
}

// openPart returns the index of the longest end of a text that later text can turn into a part of a secret, perhaps with a mark
// of omitted text behind it.
func (f *finder) openPart(text string) int {
	at := len(text)
	for at > 0 && (text[at-1] == '.' || text[at-1] == '*' || strings.HasSuffix(text[:at], "…")) {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	for n := len(truncationNote); n > 0; n-- {
		if rest, ok := strings.CutSuffix(text[:at], truncationNote[:n]); ok {
			at = len(rest)
			break
		}
	}
	grams := f.grams()
	for at = max(0, at-gramLen+1); at > 0 && at-1+gramLen <= len(text) && grams[gram([]byte(text[at-1:at-1+gramLen]))]; {
		at--
	}
	return at
}
