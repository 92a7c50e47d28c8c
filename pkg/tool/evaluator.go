package tool

import (
	"path"
	"slices"
	"strings"
)

// An evaluator looks for a word that a program would read as a program text: what stands behind
// sh -c. A value there is no argument but a command, whatever quotes stand around it. It knows
// the usual programs, for definitions that were not meant so; it is no defence against who
// writes definitions.
type evaluator struct {
	name  string   // of the program that reads text, "" for none
	flags []string // behind which its text stands
	seek  bool     // it may be among the arguments of the program that starts it
	skip  bool     // the next element belongs to an option
	text  bool     // the next element is the text
}

// interpreters are programs that run a text, and the options behind which it stands.
var interpreters = []struct{ names, flags []string }{
	{[]string{"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"}, []string{"-c"}},
	{[]string{"python", "pypy"}, []string{"-c"}},
	{[]string{"perl", "ruby", "lua"}, []string{"-e", "-E"}},
	{[]string{"node", "nodejs", "bun"}, []string{"-e", "--eval", "-p", "--print"}},
	{[]string{"php"}, []string{"-r"}},
}

// starters are programs that start the one that stands among their arguments.
var starters = []string{"env", "nice", "nohup", "timeout", "xargs", "sudo", "doas", "setsid", "stdbuf", "busybox", "ionice", "time"}

// valued are the options of interpreters that have a value of their own behind them.
var valued = []string{"-o", "+o", "-O", "+O", "-W", "-X", "-I"}

// program takes in the name of a program.
func (e *evaluator) program(name string) {
	base := strings.TrimRight(path.Base(name), "0123456789.")
	e.seek = e.seek || slices.Contains(starters, base)
	for _, i := range interpreters {
		if slices.Contains(i.names, base) {
			e.name, e.flags, e.seek = path.Base(name), i.flags, false
		}
	}
}

// next takes in an element, and reports whether it holds text of a program.
func (e *evaluator) next(t Template) bool {
	word, literal := t.begins(), len(t.holes()) == 0
	option := strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+")
	switch {
	case e.name == "":
		if e.seek && literal {
			e.program(word)
		}
		return false
	case e.skip:
		e.skip = false
		return false
	case e.text && !(literal && option):
		e.name = ""
		return true
	case !option: // what follows is for the file that is run
		e.name = ""
		return false
	case literal:
		e.skip = slices.Contains(valued, word)
		e.text = e.text || e.asks(word)
		return false
	}
	return slices.ContainsFunc(e.flags, func(flag string) bool { return strings.HasPrefix(word, flag) })
}

// asks reports whether an option says that the next element is the text; several options of one
// letter can be one word.
func (e *evaluator) asks(word string) bool {
	return slices.ContainsFunc(e.flags, func(flag string) bool {
		return word == flag || len(flag) == 2 && !strings.HasPrefix(word, "--") && strings.IndexByte(word, flag[1]) > 0
	})
}
