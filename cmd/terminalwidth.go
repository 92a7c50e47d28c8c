package cmd

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
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

// Widths of a terminal in columns: the default, and the least for which lines of progress and dialogs are cut.
const defaultColumns, minColumns = 80, 40

// width returns the number of columns for a line of progress on stderr.
func (t *console) width() int {
	if columns := t.columnsOf(onStderr); columns > 0 {
		return max(columns, minColumns)
	}
	return defaultColumns
}

// terminalColumns returns the width of the terminal of a stream in columns. COLUMNS sets it if the terminal does not report one.
func (e Env) terminalColumns(s termStream) int {
	stream := e.Stdout
	if s == onStderr {
		stream = e.Stderr
	}
	if f, ok := stream.(*os.File); ok {
		if columns, _, err := terminalSize(f); err == nil && columns > 0 {
			return columns
		}
	}
	if columns, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return defaultColumns
}

// isBackgroundJob reports whether another job is in the foreground of the terminal on stderr.
func (e Env) isBackgroundJob() bool {
	f, ok := e.Stderr.(*os.File)
	if !ok {
		return false
	}
	foreground := 0 // a process group; 0 if it is outside the PID namespace
	err := withDescriptor(f, func(fd int) (err error) {
		foreground, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return err == nil && foreground > 0 && foreground != unix.Getpgrp()
}
