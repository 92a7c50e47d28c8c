package pricing

import (
	_ "embed"
	"strings"
	"time"
)

// table has a line for each group of models and each day from which a price applies: the provider, patterns of names
// separated by commas, "since=DAY" unless the price always applies, and the price as JSON. The first line that
// matches applies.
//
//go:embed table.txt
var table string

// Source names the origin of the table, with its version and date.
func Source() string {
	head, _, _ := strings.Cut(table, "\n")
	_, source, _ := strings.Cut(head, "from ")
	source, _, _ = strings.Cut(source, " (")
	return source
}

// Lookup returns the price of a model, PROVIDER/NAME, at a time. It reports false if the table does not have the model.
func Lookup(model string, at time.Time) (p Price, ok bool) {
	provider, name, ok := strings.Cut(strings.ToLower(model), "/")
	if !ok {
		return p, false
	}
	day := at.UTC().Format(time.DateOnly)
	for line := range strings.Lines(table) {
		line, ok := strings.CutPrefix(line, provider+" ")
		if !ok {
			continue
		}
		fields := strings.Fields(line)
		if !matchesAny(fields[0], name) {
			continue
		}
		if since, ok := strings.CutPrefix(fields[1], "since="); ok && day < since {
			continue
		}
		p, err := ParsePrice([]byte(fields[len(fields)-1]))
		return p, err == nil
	}
	return p, false
}

// matchesAny reports whether a name matches one of the patterns and none of those with "!".
func matchesAny(patterns, name string) (ok bool) {
	for pattern := range strings.SplitSeq(patterns, ",") {
		if excluded, not := strings.CutPrefix(pattern, "!"); not {
			if matches(excluded, name) {
				return false
			}
		} else {
			ok = ok || matches(pattern, name)
		}
	}
	return ok
}

// matches reports whether a name matches a pattern, in which * at the start or the end stands for any text and # for a
// digit.
func matches(pattern, name string) bool {
	pattern, openStart := strings.CutPrefix(pattern, "*")
	pattern, openEnd := strings.CutSuffix(pattern, "*")
	for i := 0; i+len(pattern) <= len(name); i++ {
		if (openEnd || i+len(pattern) == len(name)) && hasPatternPrefix(pattern, name[i:i+len(pattern)]) {
			return true
		}
		if !openStart {
			break
		}
	}
	return false
}

// hasPatternPrefix reports whether a text equals a pattern, in which # stands for a digit.
func hasPatternPrefix(pattern, text string) bool {
	for i := range len(pattern) {
		if c := text[i]; pattern[i] != c && (pattern[i] != '#' || c < '0' || c > '9') {
			return false
		}
	}
	return true
}
