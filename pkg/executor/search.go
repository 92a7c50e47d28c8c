package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
)

const (
	defaultHits = 10
	maxHits     = 50
	around      = 100 // characters of a preview on each side of the match
	opening     = 200 // characters of a preview without a match
)

// A hit is what vault_search returns for each file.
type hit struct {
	Path     string `json:"path"`
	Basename string `json:"basename"`
	Matches  int    `json:"matches"` // in the name, or else in the content
	Preview  string `json:"preview"`
}

// leftOut is the last element of a result, with nothing but a preview, where
// files and folders could not be looked at.
func leftOut(n int) hit {
	return hit{Preview: fmt.Sprintf("[left out: %d files or folders whose names cannot be used as paths]", n)}
}

// search is vault_search(query, limit) (V1): Markdown files whose name contains
// the query, and after them those whose content does, each group in the order of
// paths. Letter case does not matter.
func (f files) search(ctx context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decode[struct {
		Query string         `json:"query"`
		Limit jsontext.Value `json:"limit"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	limit, err := integer("limit", args.Limit, defaultHits, 1, 1<<53)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if f.root == nil {
		return noRoot(), nil
	}
	s := searcher{files: f, query: fold(args.Query), limit: int(min(limit, maxHits)), hits: []hit{}}
	if err := s.run(ctx); err != nil {
		if ctx.Err() != nil {
			return chat.Result{}, err
		}
		return pathFailure(err), nil
	}
	labels := f.labelsOf(s.hits)
	if s.unnamed > 0 {
		s.hits = append(s.hits, leftOut(s.unnamed))
	}
	result := chat.Success(s.hits)
	result.Labels = labels
	return result, nil
}

// labelsOf returns the labels of the files that a search shows, of which no rule knew before.
func (f files) labelsOf(hits []hit) []string {
	var out []string
	for _, h := range hits {
		for _, l := range f.labels(h.Path) {
			out = append(out, string(l))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A searcher is one search under way.
type searcher struct {
	files
	query   string // folded
	limit   int
	hits    []hit
	unnamed int // folders and Markdown files that were left out for their names
}

func (s *searcher) run(ctx context.Context) error {
	var named, others []string
	err := s.root.Walk(ctx, func(p string, _ int64) error {
		switch {
		case !strings.EqualFold(path.Ext(p), ".md"):
		case strings.Contains(fold(basename(p)), s.query):
			named = append(named, p)
		default:
			others = append(others, p)
		}
		return nil
	}, func(p string) {
		if strings.HasSuffix(p, "/") || strings.EqualFold(path.Ext(p), ".md") {
			s.unnamed++
		}
	})
	if err != nil {
		return err
	}
	if err := s.each(ctx, named, func(p string) string { return basename(p) }); err != nil {
		return err
	}
	return s.each(ctx, others, nil)
}

// each looks at files until there are enough hits. Where name is given, matches
// are counted in what it returns, otherwise in the content. A file that cannot be
// read has no content.
func (s *searcher) each(ctx context.Context, paths []string, name func(string) string) error {
	for _, p := range paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(s.hits) == s.limit {
			return nil
		}
		content, _ := s.root.ReadResolved(p, maxFileBytes) // a walk follows no links
		text := s.hide(string(content))
		folded := fold(text)
		searched := folded
		if name != nil {
			searched = fold(name(p))
		}
		if n := count(searched, s.query); n > 0 {
			s.hits = append(s.hits, hit{Path: p, Basename: basename(p), Matches: n, Preview: preview(text, folded, s.query)})
		}
	}
	return nil
}

// basename returns the name of a file without its folder and its extension.
func basename(p string) string {
	return strings.TrimSuffix(path.Base(p), path.Ext(p))
}

// count returns how often a query stands in a text. An empty one stands in every
// text once.
func count(text, query string) int {
	if query == "" {
		return 1
	}
	return strings.Count(text, query)
}

// preview returns the text around the first match, with "..." where it is cut, or
// the beginning of a text without a match. Folded has the characters of text, one
// for one.
func preview(text, folded, query string) string {
	at := strings.Index(folded, query)
	if at < 0 || query == "" {
		return characters(text, 0, opening)
	}
	match := utf8.RuneCountInString(folded[:at])
	from, to := max(match-around, 0), match+utf8.RuneCountInString(query)+around
	out := characters(text, from, to)
	if from > 0 {
		out = "..." + out
	}
	if to < utf8.RuneCountInString(text) {
		out += "..."
	}
	return out
}

// characters returns the characters [from, to) of a text, or those of them that
// it has.
func characters(text string, from, to int) string {
	start, n := len(text), 0
	for i := range text {
		if n == from {
			start = i
		}
		if n == to {
			return text[start:i]
		}
		n++
	}
	return text[start:]
}

// fold maps characters that differ in case only to one, by Unicode simple
// folding: it keeps the number of characters, though not of bytes.
func fold(s string) string { return strings.Map(foldRune, s) }

func foldRune(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	if r < utf8.RuneSelf {
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
