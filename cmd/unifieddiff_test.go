package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// unifiedDiffOf returns the diff of a file in parts, each its old and its new text.
func unifiedDiffOf(name string, parts ...[2]string) (string, error) {
	env, stdout, _ := testEnv()
	d := newUnifiedDiff(newConsole(env), name)
	for _, part := range parts {
		if err := d.add([]byte(part[0]), []byte(part[1])); err != nil {
			return "", err
		}
	}
	err := d.finish(1)
	return stdout.String(), err
}

// A diff turns the old text into the new one, and there is none without a change.
func TestUnifiedDiff(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n"}), 0, 12)
	tails := rapid.SampledFrom([]string{"", "z", "z\n"})
	rapid.Check(t, func(t *rapid.T) {
		var parts [][2]string
		var old, text string
		for range rapid.IntRange(0, 5).Draw(t, "parts") {
			part := strings.Join(lines.Draw(t, "old"), "")
			parts = append(parts, [2]string{part, part})
			if rapid.Bool().Draw(t, "changed") {
				parts[len(parts)-1][1] = strings.Join(lines.Draw(t, "new"), "")
			}
		}
		parts = append(parts, [2]string{tails.Draw(t, "old end"), tails.Draw(t, "new end")})
		changed := false
		for _, part := range parts {
			old, text, changed = old+part[0], text+part[1], changed || part[0] != part[1]
		}
		diff, err := unifiedDiffOf("x", parts...)
		if err != nil || (diff != "") != changed {
			t.Fatalf("%v, changed %v: %s", err, changed, diff)
		}
		if got := patched(t, old, diff); got != text {
			t.Fatalf("%q becomes %q, want %q, by\n%s", old, got, text, diff)
		}
	})
}

// patched applies a unified diff.
func patched(t *rapid.T, old, diff string) string {
	from, out, at := slices.Collect(strings.Lines(old)), "", 0
	lines := strings.SplitAfter(diff, "\n")
	for i, line := range lines {
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\`) {
			line = strings.TrimSuffix(line, "\n")
		}
		switch {
		case line == "" || line[0] == '\\' || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ "):
		case line[0] == '@':
			var first, olds, target, news int
			if _, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &first, &olds, &target, &news); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if olds == 0 {
				first++
			}
			if news == 0 {
				target++
			}
			for ; at < first-1; at++ {
				out += from[at]
			}
			if have := strings.Count(out, "\n"); have != target-1 {
				t.Fatalf("%q comes after %d lines", line, have)
			}
		case line[0] == '+':
			out += line[1:]
		default:
			if at == len(from) || from[at] != line[1:] {
				t.Fatalf("line %d is not %q", at+1, line[1:])
			}
			if at++; line[0] == ' ' {
				out += line[1:]
			}
		}
	}
	return out + strings.Join(from[at:], "")
}

// The form of a diff: three lines of context, hunks whose contexts touch are one, and marks for a missing line feed.
func TestUnifiedDiffForm(t *testing.T) {
	const nine = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, tt := range []struct {
		name  string
		parts [][2]string
		want  string
	}{
		{"x", [][2]string{{nine, nine}}, ""},
		{"x", [][2]string{{nine, strings.Replace(nine, "7", "x", 1)}}, "--- x\n+++ x\n@@ -4,6 +4,6 @@\n 4\n 5\n 6\n-7\n+x\n 8\n 9\n"},
		{"x", [][2]string{{nine, nine}, {"a\n", "b\n"}}, "--- x\n+++ x\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-a\n+b\n"},
		{"x", [][2]string{{"a\n", "b\n"}, {nine, nine}, {"a\n", "b\n"}}, "--- x\n+++ x\n@@ -1,4 +1,4 @@\n-a\n+b\n 1\n 2\n 3\n@@ -8,4 +8,4 @@\n 7\n 8\n 9\n-a\n+b\n"},
		{"x", [][2]string{{"a\n", "b\n"}, {nine[:12], nine[:12]}, {"a\n", "b\n"}}, "--- x\n+++ x\n@@ -1,8 +1,8 @@\n-a\n+b\n 1\n 2\n 3\n 4\n 5\n 6\n-a\n+b\n"},
		{"x", [][2]string{{"", "a\n"}}, "--- x\n+++ x\n@@ -0,0 +1,1 @@\n+a\n"},
		{"x", [][2]string{{"a\n", ""}}, "--- x\n+++ x\n@@ -1,1 +0,0 @@\n-a\n"},
		{"x", [][2]string{{"a", "a\n"}}, "--- x\n+++ x\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"a b", [][2]string{{"a\n", ""}}, "--- a b\t\n+++ a b\t\n@@ -1,1 +0,0 @@\n-a\n"},
		{"a\nb", [][2]string{{"a\n", ""}}, "--- \"a\\nb\"\n+++ \"a\\nb\"\n@@ -1,1 +0,0 @@\n-a\n"},
	} {
		if got, err := unifiedDiffOf(tt.name, tt.parts...); err != nil || got != tt.want {
			t.Errorf("%q: %v\n%s, want\n%s", tt.parts, err, got, tt.want)
		}
	}
}

// A text with too many lines for a diff is an error, and nothing is printed.
func TestUnifiedDiffTooLarge(t *testing.T) {
	text := string(bytes.Repeat([]byte("\n"), maxDiffLines+1))
	diff, err := unifiedDiffOf("x", [2]string{text, text + "x"})
	if exitOf(err).Code != 3 || diff != "" || hintOf(err) == "" {
		t.Errorf("%v: %.100s", err, diff)
	}
	if diff, err := unifiedDiffOf("x", [2]string{text, text}); diff != "" || err != nil {
		t.Errorf("without a change: %v: %.100s", err, diff)
	}
}
