package cmd

import (
	"io"
	"os"
	"strconv"
)

// A termStream is an output stream that can be a terminal.
type termStream int

const (
	onStdout termStream = iota
	onStderr
)

// isTerminal reports whether a stream is a terminal.
func (t *console) isTerminal(s termStream) bool {
	if s == onStdout {
		return t.screen
	}
	return t.terminal
}

// columnsOf returns the width of a stream in columns, or 0 if it is not a terminal: nothing is cut in files and pipes. It asks
// the terminal each time, because a window can be resized.
func (t *console) columnsOf(s termStream) int {
	if !t.isTerminal(s) {
		return 0
	}
	return t.terminalColumns(s)
}

// unknownColumns is the width of a terminal that does not tell it.
const unknownColumns = 80

// terminalColumns returns the width of the terminal of a stream in columns. COLUMNS sets it if the terminal does not.
func (e Env) terminalColumns(s termStream) int {
	stream := map[termStream]io.Writer{onStdout: e.Stdout, onStderr: e.Stderr}[s]
	if f, ok := stream.(*os.File); ok {
		if columns, _, err := terminalSize(f); err == nil && columns > 0 {
			return columns
		}
	}
	if columns, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return unknownColumns
}
