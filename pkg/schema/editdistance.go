package schema

import "strings"

// ClosestMatch returns the word closest to a misspelt one by edit distance, ignoring case. It returns "" if no word is
// close enough, or if several are equally close.
func ClosestMatch(word string, words []string) string {
	const longest = 64 // longer words are no misspelt names
	best, distance, tied := "", 1+(len(word)+1)/3, false
	for _, w := range words {
		if len(w) > longest || len(word) > longest {
			continue
		}
		d := editDistance(strings.ToLower(word), strings.ToLower(w), distance+1)
		switch {
		case d < distance:
			best, distance, tied = w, d, false
		case d == distance && best != "" && w != best:
			tied = true
		}
	}
	if tied {
		return ""
	}
	return best
}

// editDistance returns the number of insertions, deletions, substitutions and transpositions between two words, at
// most limit.
func editDistance(a, b string, limit int) int {
	if abs(len(a)-len(b)) >= limit {
		return limit
	}
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	next := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+substitutionCost(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return min(row[len(b)], limit)
}

func substitutionCost(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}

func abs(n int) int { return max(n, -n) }

// DidYouMean returns the hint that names the [ClosestMatch], or "".
func DidYouMean(word string, words []string) string {
	if w := ClosestMatch(word, words); w != "" {
		return "did you mean " + w + "?"
	}
	return ""
}
