package cmd

import (
	"io"
	"strings"
	"testing"
)

// Messages appear above the line. Nothing is drawn after an unfinished message, while the line is suspended or the process in
// the background, or after the line is closed.
func TestLiveLine(t *testing.T) {
	const a, b = noWrap + "a" + wrap, noWrap + "b" + wrap
	var shown strings.Builder
	background := false
	l := &liveLine{to: &shown, isBackground: func() bool { return background }}
	write := func(text string) func() { return func() { _, _ = io.WriteString(l, text) } }
	var resume func()
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"a message without a line", write("m\n"), "m\n"},
		{"a line", func() { l.set("a") }, a},
		{"a message", write("m\n"), eraseLine + "m\n" + a},
		{"the beginning of a message", write("m"), eraseLine + "m"},
		{"another line", func() { l.set("b") }, ""},
		{"the end of the message", write("\n"), "\n" + b},
		{"suspended", func() { resume = l.suspend() }, eraseLine},
		{"a message meanwhile", write("m\n"), "m\n"},
		{"a line meanwhile", func() { l.set("a") }, ""},
		{"resumed", func() { resume() }, a},
		{"removed", func() { l.set("") }, eraseLine},
		{"a message after that", write("m\n"), "m\n"},
		{"a new line", func() { l.set("b") }, b},
		{"a message from the background", func() { background = true; write("m\n")() }, "m\n"},
		{"a line in the background", func() { l.set("a") }, ""},
		{"in the foreground again", func() { background = false; l.set("b") }, b},
		{"closed", l.close, eraseLine},
		{"a line after that", func() { l.set("a") }, ""},
	} {
		shown.Reset()
		if step.do(); shown.String() != step.want {
			t.Errorf("%s: %q, want %q", step.name, shown.String(), step.want)
		}
	}
}
