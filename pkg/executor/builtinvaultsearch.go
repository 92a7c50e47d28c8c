package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/fileroot"
)

const (
	defaultHits    = 10
	maxHits        = 50
	previewContext = 100 // characters of a preview on each side of the match
	previewOpening = 200 // characters of a preview without a match
)

// A hit is the element of a vault_search result for one file.
type hit struct {
	Path     string `json:"path"`
	Basename string `json:"basename"`
	Matches  int    `json:"matches"` // number of matches in the name, or else in the content
	Preview  string `json:"preview"`
}

// notes returns the last elements of a result, with only a preview, if files or folders were left out.
func (s *searcher) notes() (notes []hit) {
	if s.skipped > 0 {
		notes = append(notes, hit{Preview: fmt.Sprintf("[skipped: %d files or folders whose names cannot be used as paths]", s.skipped)})
	}
	if s.unsearched > 0 {
		notes = append(notes, hit{Preview: fmt.Sprintf("[not searched: %d files that are larger than 1 MiB, not UTF-8 text, or unreadable]", s.unsearched)})
	}
	return notes
}

// search is vault_search(query, limit) (V1): Markdown files whose name contains the query, followed by those
// whose content does, each group sorted by path. It ignores case.
func (f files) search(ctx context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decodeStrict[struct {
		Query string         `json:"query"`
		Limit jsontext.Value `json:"limit"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	limit, err := parseInteger("limit", args.Limit, defaultHits, 1, 1<<53)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if f.root == nil {
		return noRootResult(), nil
	}
	s := searcher{files: f, query: fileroot.FoldCase(args.Query), limit: int(min(limit, maxHits)), hits: []hit{}}
	if err := s.run(ctx); err != nil {
		if ctx.Err() != nil {
			return chat.Result{}, err
		}
		return pathFailure(err), nil
	}
	labels := f.dataLabelsOf(s.hits)
	result := chat.Success(append(s.hits, s.notes()...))
	result.Labels = labels
	return result, nil
}

// dataLabelsOf returns the labels of the found files. They are not known before the search, so no rule could check them.
func (f files) dataLabelsOf(hits []hit) []string {
	var out []string
	for _, h := range hits {
		for _, l := range f.labels(h.Path) {
			out = append(out, string(l))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A searcher is the state of one search.
type searcher struct {
	files
	query   string // case-folded
	limit   int
	hits    []hit
	skipped int // folders and Markdown files skipped for their names

	unsearched int // files whose content should have been searched
}

func (s *searcher) run(ctx context.Context) error {
	var named, others []string
	err := s.root.Walk(ctx, func(p string, _ int64) error {
		switch {
		case !strings.EqualFold(path.Ext(p), ".md"):
		case strings.Contains(fileroot.FoldCase(nameWithoutExt(p)), s.query):
			named = append(named, p)
		default:
			others = append(others, p)
		}
		return nil
	}, func(p string) {
		if strings.HasSuffix(p, "/") || strings.EqualFold(path.Ext(p), ".md") {
			s.skipped++
		}
	})
	if err != nil {
		return err
	}
	if err := s.addHits(ctx, named, func(p string) string { return nameWithoutExt(p) }); err != nil {
		return err
	}
	return s.addHits(ctx, others, nil)
}

// addHits searches files until there are enough hits. It counts matches in the result of name, or in the
// content if name is nil. An unreadable file has no content.
func (s *searcher) addHits(ctx context.Context, paths []string, name func(string) string) error {
	for _, p := range paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(s.hits) == s.limit {
			return nil
		}
		content, err := s.root.ReadResolved(p, maxFileBytes) // a walk follows no links
		if err != nil && name == nil && !isInaccessible(err) {
			s.unsearched++
		}
		text := s.hide(string(content))
		folded := fileroot.FoldCase(text)
		searched := folded
		if name != nil {
			searched = fileroot.FoldCase(name(p))
		}
		if n := countMatches(searched, s.query); n > 0 {
			s.hits = append(s.hits, hit{Path: p, Basename: nameWithoutExt(p), Matches: n, Preview: matchPreview(text, folded, s.query)})
		} else if name == nil && !utf8.Valid(content) { // the content may contain the query in another encoding
			s.unsearched++
		}
	}
	return nil
}

// isInaccessible reports whether a file was removed or denied since the walk listed it.
func isInaccessible(err error) bool {
	var refused *fileroot.PathError
	return errors.As(err, &refused) && (refused.Kind == fileroot.NotFound || refused.Kind == fileroot.Refused)
}

// nameWithoutExt returns the name of a file without folder and extension.
func nameWithoutExt(p string) string {
	return strings.TrimSuffix(path.Base(p), path.Ext(p))
}

// countMatches returns how often a query occurs in a text. An empty query occurs once.
func countMatches(text, query string) int {
	if query == "" {
		return 1
	}
	return strings.Count(text, query)
}

// matchPreview returns the text around the first match, with "..." at truncations, or the beginning of a text
// without a match. Folded must have the same number of characters as text.
func matchPreview(text, folded, query string) string {
	at := strings.Index(folded, query)
	if at < 0 || query == "" {
		return runeRange(text, 0, previewOpening)
	}
	match := utf8.RuneCountInString(folded[:at])
	from, to := max(match-previewContext, 0), match+utf8.RuneCountInString(query)+previewContext
	out := runeRange(text, from, to)
	if from > 0 {
		out = "..." + out
	}
	if to < utf8.RuneCountInString(text) {
		out += "..."
	}
	return out
}

// runeRange returns the characters [from, to) of a text, as far as they exist.
func runeRange(text string, from, to int) string {
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
