package tool

import (
	"path"
	"slices"
	"strings"

	"oneshot/pkg/subprocess"
)

// An injectionChecker finds values that a program would run as code: after sh -c, as the program of env, as an
// argument that code evaluates, or on the stdin of an interpreter. Quoting does not help there.
type injectionChecker struct {
	interpreter       *interpreter    // nil until found
	wrapper           *wrapperProgram // nil for none
	operandsLeft      int             // operands of the wrapper before the program
	hasProgram        bool            // the program of the wrapper was read
	nextIsOptionValue bool            // the next element is the value of an option
	nextIsText        bool            // the next element is code
	nextIsFile        bool            // the next element is a file with code
	hasText           bool            // code or a file was read
	fileIsStdin       bool            // the file is stdin
	afterText         bool            // the rest are arguments of the code or file
	evalWord          string          // word of the code that runs its arguments, or ""
}

const (
	runsValueMessage  = "the program would run the value as code"
	namesValueMessage = "the value would choose the program"
)

// setProgram reads the name of a program.
func (e *injectionChecker) setProgram(name string) {
	base := path.Base(name)
	is := func(known string) bool { return known == base || known == strings.TrimRight(base, "0123456789.") }
	if i := slices.IndexFunc(wrapperPrograms, func(s wrapperProgram) bool { return is(s.name) }); i >= 0 {
		e.wrapper, e.operandsLeft, e.hasProgram = &wrapperPrograms[i], wrapperPrograms[i].operands, len(wrapperPrograms[i].programOptions) > 0
	}
	if i := slices.IndexFunc(interpreters, func(i interpreter) bool { return slices.ContainsFunc(i.names, is) }); i >= 0 {
		e.interpreter = &interpreters[i]
	}
}

// checkElement reads an element and returns why it cannot contain values, or "".
func (e *injectionChecker) checkElement(t Template) string {
	switch {
	case e.nextIsOptionValue:
		e.nextIsOptionValue = false
		return ""
	case e.interpreter != nil:
		return e.checkInterpreterArgument(t)
	case e.wrapper != nil:
		return e.checkWrapperArgument(t)
	}
	return ""
}

func (e *injectionChecker) checkWrapperArgument(t Template) string {
	word, literal := t.literalPrefix(), len(t.placeholders()) == 0
	variable, _, assigns := strings.Cut(word, "=")
	switch {
	case e.nextIsText:
		e.nextIsText, e.hasProgram = false, true
		return runsValueMessage
	case slices.Contains(e.wrapper.programOptions, word) && literal:
		e.hasProgram = false
	case e.hasProgram && !literal:
	case strings.HasPrefix(word, "-"):
		return e.checkWrapperOption(word, literal)
	case assigns && e.wrapper.setsVariables:
		if !literal && (variable == "PATH" || subprocess.UnsafeVariable(variable)) {
			return "the variable makes programs load or run other code"
		}
	case e.operandsLeft > 0:
		e.operandsLeft--
	case literal:
		e.hasProgram = true
		e.setProgram(word)
	default:
		e.hasProgram = true
		return namesValueMessage
	}
	return ""
}

func (e *injectionChecker) checkWrapperOption(word string, literal bool) string {
	if literal {
		e.nextIsOptionValue, e.nextIsText = slices.Contains(e.wrapper.valueOptions, word), slices.Contains(e.wrapper.textOptions, word)
		return ""
	}
	if hasAnyPrefix(word, e.wrapper.textOptions) {
		return runsValueMessage
	}
	return ""
}

func (e *injectionChecker) checkInterpreterArgument(t Template) string {
	word, literal := t.literalPrefix(), len(t.placeholders()) == 0
	option := strings.HasPrefix(word, "-") && word != "-" || strings.HasPrefix(word, "+")
	switch {
	case e.afterText:
		return e.checkCodeArgument()
	case e.nextIsFile:
		e.nextIsFile, e.hasText, e.fileIsStdin = false, true, isStdin(word)
		return ""
	case e.nextIsText && !(literal && option):
		return e.checkProgramText(t)
	case option && literal:
		e.readOption(word)
		return ""
	case option && hasAnyPrefix(word, e.interpreter.textOptions):
		e.hasText = true
		return runsValueMessage
	case option:
		return ""
	case e.interpreter.firstOperandIsText && !e.hasText:
		return e.checkProgramText(t)
	}
	if e.afterText = true; e.hasText { // after the code
		return e.checkCodeArgument()
	}
	e.hasText = !isStdin(word) && !e.interpreter.joinsOperands // a file or host
	return ""
}

func isStdin(word string) bool { return word == "-" || word == "/dev/stdin" }

func (e *injectionChecker) checkProgramText(t Template) string {
	e.nextIsText, e.hasText = false, true
	e.afterText = !e.interpreter.firstOperandIsText // sed and awk accept several scripts
	if e.evalWord == "" {
		e.evalWord = e.interpreter.findEvalInCode(t.fill(func(string) string { return "" }))
	}
	return runsValueMessage
}

// checkCodeArgument returns why a value cannot be an argument of the code, or "".
func (e *injectionChecker) checkCodeArgument() string {
	switch {
	case e.interpreter.joinsOperands:
		e.hasText = true
		return runsValueMessage
	case e.evalWord != "":
		return "the program text runs its arguments (" + e.evalWord + "), and the value is one of them"
	}
	return ""
}

func (e *injectionChecker) readOption(word string) {
	e.nextIsOptionValue = slices.Contains(e.interpreter.valueOptions, word)
	e.nextIsFile = slices.Contains(e.interpreter.fileOptions, word)
	if e.interpreter.isShell && !strings.HasPrefix(word, "--") && strings.HasPrefix(word, "-") && strings.Contains(word, "s") {
		e.fileIsStdin = true
	}
	e.nextIsText = e.nextIsText || e.isTextOption(word)
}

// isTextOption reports whether the next element is code. Options of one letter can be combined.
func (e *injectionChecker) isTextOption(word string) bool {
	return slices.ContainsFunc(e.interpreter.textOptions, func(flag string) bool {
		return word == flag || len(flag) == 2 && !strings.HasPrefix(word, "--") && strings.IndexByte(word, flag[1]) > 0
	})
}

// checkStdin returns why stdin cannot contain values, or "".
func (e *injectionChecker) checkStdin() string {
	switch {
	case e.interpreter == nil:
		return ""
	case e.interpreter.readsStdin && !e.hasText, e.fileIsStdin, e.nextIsText && e.wrapper != nil && e.wrapper.name == "xargs":
		return "the program would run the value on stdin as code"
	case e.evalWord != "" && e.wrapper != nil && e.wrapper.name == "xargs":
		return "the program text runs its arguments (" + e.evalWord + "), and the value is one of them"
	}
	return ""
}

// findEvalInCode returns the word of code that runs an argument as code, or "".
func (i *interpreter) findEvalInCode(text string) string {
	if i.isShell {
		return findShellEval(text)
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\n;&|(){}<>'\"=,", r) }) {
		last := word[strings.LastIndexByte(word, '.')+1:]
		if slices.Contains(i.evalWords, last) && (last == word || last != "exec") { // exec is also a method of regular expressions
			return word
		}
	}
	return ""
}

// beforeCommand are the words before a command in shell code, shellEvalWords the ones that run their arguments as code.
var (
	beforeCommand  = []string{";", "&", "|", "(", "{", "`", "!", "then", "do", "else", "exec", "command", "builtin", "nohup", "env", "time", "xargs", "sudo"}
	shellEvalWords = []string{"eval", "source", ".", "trap", "let", "alias"}
)

// findShellEval returns the command of shell code that runs its arguments, is an argument such as "$1", or reads code
// itself.
func findShellEval(text string) string {
	command := true
	for word := range strings.FieldsSeq(padCommandSeparators(text)) {
		plain := strings.Trim(word, `"`)
		switch {
		case slices.Contains(beforeCommand, plain):
			command = true
		case !command, strings.HasPrefix(plain, "-"), strings.Contains(plain, "="): // an option or an assignment
		case strings.HasPrefix(plain, "$"), slices.Contains(shellEvalWords, plain), slices.Contains(interpreters[0].names, path.Base(plain)):
			return plain
		default:
			command = false
		}
	}
	return ""
}

// padCommandSeparators surrounds command separators with blanks.
func padCommandSeparators(text string) string {
	return strings.NewReplacer(";", " ; ", "&", " & ", "|", " | ", "\n", " ; ", "`", " ` ", "( ", " ( ", "$(", " ( ").Replace(text)
}

func hasAnyPrefix(word string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(word, p) })
}
