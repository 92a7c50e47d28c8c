package main

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplitGivesUniqueChunks(t *testing.T) {
	texts := []string{
		"",
		"```tool\nreturn vault_search({query: \"apple\"});\n```",
		"```tool\nreturn vault_search({query: \"pear\"});\n```",
		"```tool\nreturn finalResponse();\n```",
		"so so so so so so so so so so so so so so so so so so so so so so",
		"Zażółć gęślą jaźń 🦀🦀🦀🦀🦀🦀🦀🦀🦀🦀",
		"{}",
	}
	s := NewSplitter()
	seen := map[string]bool{}
	for _, text := range texts {
		chunks, err := s.SplitUnique(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got := strings.Join(chunks, ""); got != text {
			t.Errorf("the chunks of %q make %q", text, got)
		}
		for _, c := range chunks {
			if seen[c] || len(c) < 2 || !utf8.ValidString(c) {
				t.Errorf("%q: chunk %q is in use, too short or not text", text, c)
			}
			seen[c] = true
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	tests := []struct {
		name string
		used []string
		text string
	}{
		{"a single byte", nil, "x"},
		{"a text in use", []string{"th"}, "th"},
		{"all ways in use", []string{"abcdefgh", "abcdefghi", "abcdefghij"}, "abcdefghij"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			chunks, err := NewSplitter(test.used...).SplitUnique(test.text)
			var refused *SplitError
			if !errors.As(err, &refused) || refused.Text != test.text {
				t.Errorf("Split(%q) = %q, %v; want a SplitError with the text", test.text, chunks, err)
			}
		})
	}
}

func TestSplitJoinsATailInUse(t *testing.T) {
	chunks, err := NewSplitter("ij").SplitUnique("abcdefghij")
	if err != nil || len(chunks) != 1 {
		t.Errorf("got %q, %v; want the whole text as one chunk", chunks, err)
	}
}
