package main

import "fmt"

// A TokenType is the way in which a tokenizer treats a token; the numbers are
// GGUF's.
type TokenType int32

// The token types in use.
const (
	Normal  TokenType = 1
	Control TokenType = 3 // found whole in a prompt, never printed
)

// A Token is one entry of a vocabulary.
type Token struct {
	Text string // as a tokenizer spells it: see [bytePairText]
	Type TokenType
}

// A Vocabulary holds the tokens of a scripted model, and which of them follows
// which.
type Vocabulary struct {
	Tokens []Token
	// Next maps a token to the one that follows it. A token without an entry is
	// followed by whatever the server's grammar admits first, see [defaultPreference].
	Next map[int]int
	// End is the token that ends a message, Start the one that begins it.
	Start, End int
	ids        map[string]int
}

// singleBytes is how many tokens come first: one for each byte, by its value.
const singleBytes = 256

// rowAlignment divides the number of tokens: the rows of a model's matrices are
// read in vectors.
const rowAlignment = 32

// NewVocabulary returns the vocabulary for the replies. Replies with the same text
// share their tokens.
func NewVocabulary(replies []Reply) (*Vocabulary, error) {
	v := &Vocabulary{Next: map[int]int{}, ids: map[string]int{}}
	for b := range singleBytes {
		v.add(bytePairText(string([]byte{byte(b)})), Normal)
	}
	v.add(merged, Normal)
	v.Start = v.add("<|im_start|>", Control)
	v.End = v.add("<|im_end|>", Control)
	if err := v.addReplies(replies); err != nil {
		return nil, err
	}
	for len(v.Tokens)%rowAlignment != 0 {
		v.add(fmt.Sprintf("<|unused %d|>", len(v.Tokens)), Control)
	}
	return v, nil
}

func (v *Vocabulary) add(text string, t TokenType) int {
	id := len(v.Tokens)
	v.Tokens = append(v.Tokens, Token{text, t})
	v.ids[text] = id
	return id
}

func (v *Vocabulary) addReplies(replies []Reply) error {
	splitter := NewSplitter(merged)
	type key struct {
		text string
		loop bool
	}
	first := map[key]int{}
	for _, r := range replies {
		k := key{r.Text, r.Loop}
		if _, known := first[k]; !known {
			chunks, err := splitter.SplitUnique(r.Text)
			if err != nil {
				return fmt.Errorf("reply %s: %w", r.Name, err)
			}
			first[k] = v.addChain(chunks, r.Loop)
		}
		v.Next[v.entryToken(r.Name)] = first[k]
	}
	return nil
}

// addChain adds the chunks, each followed by the next, and returns the first.
func (v *Vocabulary) addChain(chunks []string, loop bool) int {
	if len(chunks) == 0 {
		return v.End
	}
	first := len(v.Tokens)
	for _, chunk := range chunks {
		id := v.add(bytePairText(chunk), Normal)
		v.Next[id] = id + 1
	}
	last := len(v.Tokens) - 1
	v.Next[last] = v.End
	if loop {
		v.Next[last] = first
	}
	return first
}

// entryToken returns the token at the end of a prompt that asks for the named
// reply. If no reply has the name in the prompt, the tokenizer reads a plain ">"
// there.
func (v *Vocabulary) entryToken(name string) int {
	if name == missing {
		return v.ids[">"]
	}
	return v.add(entryText(name), Control)
}

func entryText(name string) string { return "<|" + name + "|>" }

// A byte-pair tokenizer without merges is refused, so there is one merge, and a
// token for its result.
const (
	merge  = "t h"
	merged = "th"
)

// bytePairText returns text as byte-pair tokenizers store it: every byte is a
// printable character. Printable Latin-1 maps to itself, and the other bytes
// are, in order, the characters from U+0100.
func bytePairText(text string) string {
	var out []rune
	for i := range len(text) {
		out = append(out, byteRune(text[i]))
	}
	return string(out)
}

func byteRune(b byte) rune {
	switch {
	case b <= ' ':
		return 0x100 + rune(b)
	case b < 0x7f, b > 0xa0 && b != 0xad:
		return rune(b)
	case b <= 0xa0:
		return 0x121 + rune(b-0x7f)
	default: // 0xad, the soft hyphen
		return 0x143
	}
}
