package cmd

import (
	"io"
	"sync"
)

// A liveLine is a line at the end of a terminal that is redrawn in place to show progress. Messages are written through it, and
// appear above it. It is safe for concurrent use.
type liveLine struct {
	to           io.Writer
	isBackground func() bool // reports whether another job has the terminal; nil: never

	mu          sync.Mutex
	text        string // "" for no line
	isDrawn     bool
	isMidLine   bool // the latest message does not end its line
	suspensions int
	isClosed    bool
}

// noWrap and wrap switch line wrapping off and on: a line that wraps on a narrow terminal could not be erased.
const noWrap, wrap = "\x1b[?7l", "\x1b[?7h"

// eraseLine erases the line of the cursor.
const eraseLine = "\r\x1b[K"

// Write prints a part of a message.
func (l *liveLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	n, err := l.to.Write(p)
	if n > 0 {
		l.isMidLine = p[n-1] != '\n'
	}
	l.draw()
	return n, err
}

// set replaces the text of the line. "" removes the line.
func (l *liveLine) set(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.text = text
	l.draw()
}

// suspend removes the line until resume is called, because something else writes to the terminal.
func (l *liveLine) suspend() (resume func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.suspensions++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.suspensions--
		l.draw()
	}
}

// close removes the line for good.
func (l *liveLine) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	l.isClosed = true
}

// draw draws the line. The caller holds the mutex.
func (l *liveLine) draw() {
	if l.text == "" || l.isMidLine || l.suspensions > 0 || l.isClosed || l.isInBackground() {
		return
	}
	_, _ = io.WriteString(l.to, noWrap+l.text+wrap) // there is nowhere to report an error
	l.isDrawn = true
}

// erase erases the line. The caller holds the mutex.
func (l *liveLine) erase() {
	if l.isDrawn && !l.isInBackground() { // else the cursor is on a line of another job, such as the prompt of the shell
		_, _ = io.WriteString(l.to, eraseLine) // there is nowhere to report an error
	}
	l.isDrawn = false
}

// isInBackground reports whether the line of the cursor belongs to another job.
func (l *liveLine) isInBackground() bool { return l.isBackground != nil && l.isBackground() }
