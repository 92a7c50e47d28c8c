package cmd

import (
	"fmt"
	"slices"
	"strings"
)

// A diffLine is a line of a diff: '+' added, '-' removed, ' ' unchanged, '@' skipped lines.
type diffLine struct {
	op   byte
	text string
}

// lineDiff is a patience diff in time n log n: lines unique in both texts are anchors; between anchors, everything but
// a common prefix and suffix counts as replaced.
func lineDiff(old, text []string) []diffLine {
	var out []diffLine
	i, j := 0, 0
	for _, a := range append(anchors(old, text), [2]int{len(old), len(text)}) {
		out = append(out, diffBetweenAnchors(old[i:a[0]], text[j:a[1]])...)
		if i, j = a[0], a[1]; i < len(old) && j < len(text) {
			out = append(out, diffLine{' ', old[i]})
			i, j = i+1, j+1
		}
	}
	return out
}

// diffBetweenAnchors is the diff between two anchors.
func diffBetweenAnchors(old, text []string) []diffLine {
	var out []diffLine
	head, tail := 0, 0
	for head < min(len(old), len(text)) && old[head] == text[head] {
		head++
	}
	for tail < min(len(old), len(text))-head && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	add := func(op byte, lines []string) {
		for _, line := range lines {
			out = append(out, diffLine{op, line})
		}
	}
	add(' ', old[:head])
	add('-', old[head:len(old)-tail])
	add('+', text[head:len(text)-tail])
	add(' ', old[len(old)-tail:])
	return out
}

// anchors returns the positions of lines that are unique in both texts: their longest common subsequence.
func anchors(old, text []string) [][2]int {
	type seen struct{ olds, news, old int }
	lines := map[string]*seen{}
	for i, line := range old {
		if lines[line] == nil {
			lines[line] = &seen{}
		}
		lines[line].olds++
		lines[line].old = i
	}
	for _, line := range text {
		if s := lines[line]; s != nil {
			s.news++
		}
	}
	var pairs [][2]int
	for j, line := range text {
		if s := lines[line]; s != nil && s.olds == 1 && s.news == 1 {
			pairs = append(pairs, [2]int{s.old, j})
		}
	}
	return longestIncreasing(pairs)
}

// longestIncreasing returns the longest subsequence with increasing first numbers. The second ones already increase.
func longestIncreasing(pairs [][2]int) [][2]int {
	var ends []int // for each length, the pair that ends the lowest sequence
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p[0], func(end, first int) int { return pairs[end][0] - first })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	var out [][2]int
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = before[i] {
			out = append(out, pairs[i])
		}
	}
	slices.Reverse(out)
	return out
}

// diffContext is the number of unchanged lines around a change.
const diffContext = 3

// collapseUnchanged replaces long runs of unchanged lines by their number.
func collapseUnchanged(all []diffLine) []diffLine {
	var out []diffLine
	for i := 0; i < len(all); {
		if all[i].op != ' ' {
			out = append(out, all[i])
			i++
			continue
		}
		end := i
		for end < len(all) && all[end].op == ' ' {
			end++
		}
		head, tail := diffContext, diffContext
		if i == 0 {
			head = 0
		}
		if end == len(all) {
			tail = 0
		}
		if same := end - i - head - tail; same > 1 {
			out = append(out, all[i:i+head]...)
			out = append(out, diffLine{'@', fmt.Sprintf("%d unchanged lines", same)})
			out = append(out, all[end-tail:end]...)
		} else {
			out = append(out, all[i:end]...)
		}
		i = end
	}
	return out
}

// diffText renders a diff.
func diffText(lines []diffLine) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "%c %s\n", line.op, line.text)
	}
	return b.String()
}

// textLines splits a text into lines, and marks a last line without a newline.
func textLines(text string) []string {
	lines := slices.Collect(strings.Lines(text))
	for i, line := range lines {
		bare := strings.TrimSuffix(line, "\n")
		if bare == line {
			bare += " (no newline at the end)"
		}
		lines[i] = bare
	}
	return lines
}
