package cmd

import (
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/mattn/go-isatty"

	"oneshot/prompts"
	"oneshot/tooldefs"
)

// Env is everything that a command may access, except the files that its arguments name.
type Env struct {
	Args     []string // without the program's name
	Stdin    io.Reader
	Stdout   io.Writer
	Stderr   io.Writer
	Terminal bool // Stderr is a terminal
	Screen   bool // Stdout is a terminal
	Getenv   func(string) string
	Environ  []string // all variables, as name=value
	Now      func() time.Time
	Tools    fs.FS // the shipped tool definitions
	Prompts  fs.FS // the shipped texts, and the demo

	ManagedPolicy string // a policy file that every command applies if it exists; "" for none
	Administrator int    // the user ID that must own it
}

// OS returns the environment of this process.
func OS() Env {
	return Env{
		Args:     os.Args[1:],
		Stdin:    os.Stdin,
		Stdout:   detectClosedStdout(),
		Stderr:   os.Stderr,
		Terminal: isatty.IsTerminal(os.Stderr.Fd()),
		Screen:   isatty.IsTerminal(os.Stdout.Fd()),
		Getenv:   os.Getenv,
		Environ:  os.Environ(),
		Now:      time.Now,
		Tools:    tooldefs.FS,
		Prompts:  prompts.FS,

		ManagedPolicy: managedPath, // not configurable by flag or variable
	}
}

// managedPath is the policy of the administrator, see [Env].
const managedPath = "/etc/oneshot/policy.yaml"
