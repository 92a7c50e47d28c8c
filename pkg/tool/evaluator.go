package tool

import (
	"path"
	"slices"
	"strings"

	"oneshot/pkg/subprocess"
)

// An evaluator looks for values that a program would run: as the text behind sh -c, as the
// name of a program behind env, as an argument of a text that evaluates it, or on the stdin of
// an interpreter. A value there is a command, whatever quotes are around it.
type evaluator struct {
	in      *interpreter // nil until it is found
	via     *starter     // the last one, nil for none
	left    int          // operands of via before the program
	named   bool         // via has its program
	skip    bool         // the next element belongs to an option
	text    bool         // the next element is a text
	file    bool         // the next element is a file that holds it
	given   bool         // there was a text or a file
	read    bool         // the file is stdin
	stopped bool         // what follows are arguments of the text or the file
	again   string       // the word of the text that runs its arguments, or ""
}

const (
	runsValue  = "the value would be read as a program, and done"
	namesValue = "the value would say which program is run"
)

// program takes in the name of a program.
func (e *evaluator) program(name string) {
	base := path.Base(name)
	is := func(known string) bool { return known == base || known == strings.TrimRight(base, "0123456789.") }
	if i := slices.IndexFunc(starters, func(s starter) bool { return is(s.name) }); i >= 0 {
		e.via, e.left, e.named = &starters[i], starters[i].operands, len(starters[i].execs) > 0
	}
	if i := slices.IndexFunc(interpreters, func(i interpreter) bool { return slices.ContainsFunc(i.names, is) }); i >= 0 {
		e.in = &interpreters[i]
	}
}

// next takes in an element, and says why no value can be in its holes, or "".
func (e *evaluator) next(t Template) string {
	switch {
	case e.skip:
		e.skip = false
		return ""
	case e.in != nil:
		return e.argument(t)
	case e.via != nil:
		return e.started(t)
	}
	return ""
}

// started takes in an argument of a program that starts another one.
func (e *evaluator) started(t Template) string {
	word, literal := t.begins(), len(t.holes()) == 0
	variable, _, assigns := strings.Cut(word, "=")
	switch {
	case e.text:
		e.text, e.named = false, true
		return runsValue
	case slices.Contains(e.via.execs, word) && literal:
		e.named = false
	case e.named && !literal:
	case strings.HasPrefix(word, "-"):
		return e.startOption(word, literal)
	case assigns && e.via.assigns:
		if !literal && (variable == "PATH" || subprocess.UnsafeVariable(variable)) {
			return "the variable makes programs load or run something else"
		}
	case e.left > 0:
		e.left--
	case literal:
		e.named = true
		e.program(word)
	default:
		e.named = true
		return namesValue
	}
	return ""
}

func (e *evaluator) startOption(word string, literal bool) string {
	if literal {
		e.skip, e.text = slices.Contains(e.via.valued, word), slices.Contains(e.via.flags, word)
		return ""
	}
	if hasAnyPrefix(word, e.via.flags) {
		return runsValue
	}
	return ""
}

// argument takes in an argument of an interpreter.
func (e *evaluator) argument(t Template) string {
	word, literal := t.begins(), len(t.holes()) == 0
	option := strings.HasPrefix(word, "-") && word != "-" || strings.HasPrefix(word, "+")
	switch {
	case e.stopped:
		return e.operand()
	case e.file:
		e.file, e.given, e.read = false, true, isStdin(word)
		return ""
	case e.text && !(literal && option):
		return e.content(t)
	case option && literal:
		e.option(word)
		return ""
	case option && hasAnyPrefix(word, e.in.flags):
		e.given = true
		return runsValue
	case option:
		return ""
	case e.in.operand && !e.given:
		return e.content(t)
	}
	if e.stopped = true; e.given { // the text came before
		return e.operand()
	}
	e.given = !isStdin(word) && !e.in.joined // a file, or a host
	return ""
}

func isStdin(word string) bool { return word == "-" || word == "/dev/stdin" }

// content takes in the text of a program.
func (e *evaluator) content(t Template) string {
	e.text, e.given = false, true
	e.stopped = !e.in.operand // of sed and awk several texts can follow
	if e.again == "" {
		e.again = e.in.evaluates(t.fill(func(string) string { return "" }))
	}
	return runsValue
}

// operand says why a value cannot be an argument of the text, or "".
func (e *evaluator) operand() string {
	switch {
	case e.in.joined:
		e.given = true
		return runsValue
	case e.again != "":
		return "the program text runs its arguments (" + e.again + "), and the value is one"
	}
	return ""
}

func (e *evaluator) option(word string) {
	e.skip = slices.Contains(e.in.valued, word)
	e.file = slices.Contains(e.in.files, word)
	if e.in.shell && !strings.HasPrefix(word, "--") && strings.HasPrefix(word, "-") && strings.Contains(word, "s") {
		e.read = true
	}
	e.text = e.text || e.asks(word)
}

// asks reports whether an option says that the next element is the text; several options of one
// letter can be one word.
func (e *evaluator) asks(word string) bool {
	return slices.ContainsFunc(e.in.flags, func(flag string) bool {
		return word == flag || len(flag) == 2 && !strings.HasPrefix(word, "--") && strings.IndexByte(word, flag[1]) > 0
	})
}

// stdin says why no value can be on stdin, or "".
func (e *evaluator) stdin() string {
	switch {
	case e.in == nil:
		return ""
	case e.in.stdin && !e.given, e.read, e.text && e.via != nil && e.via.name == "xargs":
		return "the program would read the value as a program, and do it"
	case e.again != "" && e.via != nil && e.via.name == "xargs":
		return "the program text runs its arguments (" + e.again + "), and the value is one"
	}
	return ""
}

// evaluates returns what in a text runs an argument as a program, or "".
func (i *interpreter) evaluates(text string) string {
	if i.shell {
		return shellEvaluates(text)
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n;&|(){}<>'\"=,", r) }) {
		last := word[strings.LastIndexByte(word, '.')+1:]
		if slices.Contains(i.words, last) && (last == word || last != "exec") { // exec is a method of patterns, too
			return word
		}
	}
	return ""
}

// What stands before a command in a text of a shell, and what runs its arguments as a
// text of one.
var (
	beforeCommand = []string{";", "&", "|", "(", "{", "`", "!", "then", "do", "else", "exec", "command", "builtin", "nohup", "env", "time", "xargs", "sudo"}
	shellWords    = []string{"eval", "source", ".", "trap", "let", "alias"}
)

// shellEvaluates returns the command in a text of a shell that runs its arguments, is one
// of them, such as "$1", or reads a program itself.
func shellEvaluates(text string) string {
	command := true
	for word := range strings.FieldsSeq(separated(text)) {
		plain := strings.Trim(word, `"`)
		switch {
		case slices.Contains(beforeCommand, plain):
			command = true
		case !command, strings.HasPrefix(plain, "-"), strings.Contains(plain, "="): // an option or an assignment
		case strings.HasPrefix(plain, "$"), slices.Contains(shellWords, plain), slices.Contains(interpreters[0].names, path.Base(plain)):
			return plain
		default:
			command = false
		}
	}
	return ""
}

// separated puts blanks around what separates commands.
func separated(text string) string {
	return strings.NewReplacer(";", " ; ", "&", " & ", "|", " | ", "\n", " ; ", "`", " ` ", "( ", " ( ", "$(", " ( ").Replace(text)
}

func hasAnyPrefix(word string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(word, p) })
}
