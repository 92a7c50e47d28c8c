package subprocess

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// A Command is a program with its arguments, run without a shell.
type Command struct {
	Argv  []string // Argv[0] is an absolute path, or a bare name that is looked up in [Confinement.Path]
	Dir   *os.File // open working directory; the caller closes it
	Env   []string // KEY=value, in addition to the standard variables; see [UnsafeVariable]
	Stdin []byte   // nil: empty
	Max   int64    // bytes captured of stdout and of stderr each; 0 means 1 MiB
}

// A Confinement is the set of limits and sandboxes for all programs of a run. A limit of zero means its default.
// A Confinement must not be changed after its first use, and must not be copied.
type Confinement struct {
	Helper    []string // command that re-executes this program as the helper: {"/proc/self/exe"}; see [RunHelper]
	Path      []string // absolute folders for the lookup of bare names; nil: /usr/local/bin, /usr/bin, /bin
	Memory    int64    // private memory of one process in bytes; 4 GiB
	FileSize  int64    // maximum size of a written file in bytes; 1 GiB
	Processes int      // descendants of the program, and additional processes of the user; 1024
	OpenFiles int      // per process; 1024
	Sandboxes []Sandbox
	// Withheld returns how much of an absolute path without links the sandboxes may grant at most; nil: all.
	Withheld     func(path string) Extent
	Zone         string   // TZ; "" is the system's
	All          *Running // running programs; nil if they need not be tracked
	ReapsOrphans bool     // this process adopts and kills the descendants of a killed supervisor; see [BecomeSubreaper]. Requires All

	cleaning  sync.Once
	resolving sync.Once
	resolved  []sandbox
}

// A Sandbox restricts a program in the kernel. Several sandboxes restrict further.
//
// In addition to the listed paths a program can access its temporary folder, its working directory (read only),
// its own file and harmless devices such as /dev/null. Unix domain sockets are never available: the servers behind them
// act outside any sandbox.
type Sandbox struct {
	Read, Write []string // absolute folders or files, skipped if missing. Read includes execute; write includes read
	Network     bool     // false: no sockets at all
	Optional    bool     // run without this sandbox if the kernel does not support it
}

// An Outcome is the result of a program.
type Outcome struct {
	Stdout, Stderr   Text
	Exit             int    // exit code, -1 if a signal ended it
	Signal           string // name of the signal ("killed"), or ""
	SignalNumber     int    // number of the signal
	Flooded          bool   // killed because its output far exceeded the limit
	TooManyProcesses bool   // killed because it started too many processes
	LeftBehind       int    // leftover processes that were killed
}

// A Text is the captured beginning of an output of Total bytes.
type Text struct {
	Bytes []byte
	Total int64
}

// Truncated reports whether bytes are missing.
func (t Text) Truncated() bool { return t.Total > int64(len(t.Bytes)) }

// A Kind is the kind of reason why a program was not started.
type Kind int

// The kinds.
const (
	NotFound    Kind = iota + 1 // no such program
	Refused                     // it must not or cannot be run like this
	TooLong                     // arguments and environment exceed the kernel's limit
	Unsupported                 // this system cannot confine it as requested, or it could not start confined
)

// A StartError is the reason why a program was not started. No part of the program has run.
type StartError struct {
	Kind    Kind
	Program string // as in the command
	Err     error
}

func (e *StartError) Error() string {
	if e.Program == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.Program, e.Err)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

// ErrLost reports that the supervisor of a program was killed: by the program, by an operator or for lack of memory.
// The program has run and was killed; its progress is unknown.
var ErrLost = errors.New("its supervisor process was killed")
