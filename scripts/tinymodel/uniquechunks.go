package main

import "fmt"

// chunkBytes is the minimum length of a chunk, except at the end of a text: about
// that of a token of a real model.
const chunkBytes = 8

// A Splitter cuts replies into chunks. A chunk is one token of the model, and the
// next token depends only on the current one, so no two chunks of a model may have
// the same text. A chunk has at least two bytes, because single bytes are the tokens
// of all other text.
type Splitter struct {
	used map[string]bool
}

// A SplitError reports that a text cannot be cut into chunks that are new.
type SplitError struct {
	Text string // the rest of the reply
}

func (e *SplitError) Error() string {
	return fmt.Sprintf("no way to cut %q into tokens that are not in use yet: make the reply longer or different", e.Text)
}

// NewSplitter returns a splitter for which the given texts are in use.
func NewSplitter(used ...string) *Splitter {
	s := &Splitter{used: map[string]bool{}}
	for _, text := range used {
		s.used[text] = true
	}
	return s
}

// SplitUnique cuts text into chunks of whole characters that no earlier call returned
// and that differ from each other. The empty text has no chunks.
func (s *Splitter) SplitUnique(text string) ([]string, error) {
	var chunks []string
	for text != "" {
		n := s.newChunkLen(text)
		if n == 0 {
			return s.joinTail(chunks, text)
		}
		chunks = append(chunks, text[:n])
		s.used[text[:n]] = true
		text = text[n:]
	}
	return chunks, nil
}

// newChunkLen returns the length of a new chunk at the start of text, or 0 if every
// start of it is in use. A longer chunk is more likely to be new.
func (s *Splitter) newChunkLen(text string) int {
	for n := range text {
		if n >= chunkBytes && !s.used[text[:n]] {
			return n
		}
	}
	if s.isUnused(text) {
		return len(text)
	}
	return 0
}

// joinTail makes one chunk of the tail and as many chunks before it as it takes
// to be new.
func (s *Splitter) joinTail(chunks []string, tail string) ([]string, error) {
	for len(chunks) > 0 {
		last := chunks[len(chunks)-1]
		chunks = chunks[:len(chunks)-1]
		delete(s.used, last)
		tail = last + tail
		if s.isUnused(tail) {
			s.used[tail] = true
			return append(chunks, tail), nil
		}
	}
	return nil, &SplitError{tail}
}

func (s *Splitter) isUnused(chunk string) bool {
	return len(chunk) > 1 && !s.used[chunk]
}
