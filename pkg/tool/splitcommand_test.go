package tool

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for command, want := range map[string][]string{
		"git log -n 3":                  {"git", "log", "-n", "3"},
		"  a\t b ":                      {"a", "b"},
		`echo 'a;touch x'`:              {"echo", "a;touch x"},
		`echo "a b"c'd e'\ f`:           {"echo", "a bcd e f"},
		`x ''`:                          {"x", ""},
		`x "" '' y`:                     {"x", "", "", "y"},
		`x "a\"b\\c\d\$e"`:              {"x", `a"b\c\d$e`},
		`awk '{print $1}'`:              {"awk", "{print $1}"},
		"x a\\\nb":                      {"x", "ab"},
		"x \"a\\\nb\"":                  {"x", "ab"},
		"x 'a\nb'":                      {"x", "a\nb"},
		`grep --include=\*.md x a~ b#c`: {"grep", "--include=*.md", "x", "a~", "b#c"},
		`'A'=1 x`:                       {"A=1", "x"},
		`x A=1`:                         {"x", "A=1"},
		`-a=1`:                          {"-a=1"},
		"grüße ☃":                       {"grüße", "☃"},
	} {
		got, err := SplitCommand(command)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", command, err, diff)
		}
	}
}

// A command that needs a shell for more than splitting is an error, with its place.
func TestWordsRefused(t *testing.T) {
	for command, at := range map[string]int{
		"": 0, "  ": 0, "a; b": 1, "a | b": 2, "a && b": 2, "a > b": 2, "a < b": 2, "$(a)": 0, "a `b`": 2, "a $HOME": 2, "a *.md": 2, "a ?": 2, "a [b]": 2,
		"a {b,c}": 2, "a ~": 2, "a # b": 2, "! a": 0, "A=1 b": 1, "a\nb": 1, "a\rb": 1, "a (b)": 2, `a "$b"`: 3, "a \"`b`\"": 3, "a 'b": 2, `a "b`: 2, `a \`: 2,
		"a \x00": 2, "'a\x00'": 2, "\"\x00\"": 1, "\\\x00": 1,
	} {
		words, err := SplitCommand(command)
		var refused *CommandError
		if !errors.As(err, &refused) || refused.Offset != at {
			t.Errorf("%q: %q, %v, want an error at %d", command, words, err, at)
		}
	}
}

// A shell splits every accepted command into the same words.
func TestWordsAreThoseOfAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	text := rapid.StringOfN(rapid.RuneFrom([]rune("ab \t'\"\\=~#!-;$*é\n[{")), 0, 14, -1)
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		command := "x" + text.Draw(t, "command") // so that it is never a keyword of the shell
		words, err := SplitCommand(command)
		if err != nil {
			return
		}
		taken++
		out, err := exec.Command(sh, "-c", `printf '%s\0' `+command).Output()
		if err != nil {
			t.Fatalf("%q: %v", command, err)
		}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !cmp.Equal(got, words) {
			t.Errorf("%q: %q, and in a shell %q", command, words, got)
		}
	})
	if taken < 10 {
		t.Errorf("only %d commands were split", taken)
	}
}

// Every accepted text has at least one word, and no word contains NUL or is longer than the text.
func FuzzWords(f *testing.F) {
	f.Add(`git log "a b" 'c' \d`)
	f.Add("a\x00b")
	f.Fuzz(func(t *testing.T, command string) {
		words, err := SplitCommand(command)
		if (err == nil) != (len(words) > 0) {
			t.Errorf("%q, %v", words, err)
		}
		for _, w := range words {
			if strings.ContainsRune(w, 0) || len(w) > len(command) {
				t.Errorf("%q", w)
			}
		}
	})
}
