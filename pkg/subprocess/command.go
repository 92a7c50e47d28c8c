package subprocess

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

// A Command is a program with its words, as a tool runs it: without a shell.
type Command struct {
	Argv  []string // Argv[0]: an absolute path, or a bare name that is looked up in [Confinement.Path]
	Dir   *os.File // the folder to run in, open; it stays the caller's
	Env   []string // KEY=value, beside what every program gets; see [UnsafeVariable]
	Stdin []byte   // nil: nothing to read
	Max   int64    // bytes that are kept of stdout, and of stderr; 0 is 1 MiB
}

// A Confinement is what all programs of a run may use. The zero value of a limit is its default.
// It does not change once it is used, and is not copied.
type Confinement struct {
	Helper    []string // how this executable is started again as the helper: {"/proc/self/exe"}; see [Help]
	Path      []string // absolute folders in which bare names are looked up; nil: /usr/local/bin, /usr/bin, /bin
	Memory    int64    // bytes that one process has to itself; 4 GiB
	FileSize  int64    // bytes of one file that is written; 1 GiB
	Processes int      // that come of it, and how many more the user may have than at the start; 1024
	OpenFiles int      // of one process; 1024
	Sandboxes []Sandbox
	// Withheld says how much of an absolute path, in which nothing is a link, the sandboxes grant at most; nil: all.
	Withheld func(path string) Extent
	Zone     string   // TZ; "" is the system's
	All      *Running // those that run; nil if nobody has to know
	Adopts   bool     // this process gets the descendants of a supervisor that is killed, and ends them; see [Adopt]. It needs All

	cleaning  sync.Once
	resolving sync.Once
	resolved  []sandbox
}

// A Sandbox is what the kernel lets a program reach. Of several each one restricts further.
//
// Beside what is listed a program has its temporary folder, the folder that it runs in (to read),
// its own file and the harmless devices. Sockets of the machine (AF_UNIX) it never has: behind
// them are servers that do what they are told outside of any sandbox.
type Sandbox struct {
	Read, Write []string // folders or files, absolute; to read is to execute, and to write is to read. One that is not there is left out
	Network     bool     // false: no socket can be made at all
	Optional    bool     // where the kernel cannot, programs run without
}

// An Outcome is what became of a program.
type Outcome struct {
	Stdout, Stderr Text
	Exit           int    // -1 when a signal ended it
	Signal         string // which one, in words ("killed"), or ""
	Number         int    // of the signal
	Flooded        bool   // it was ended because it printed much more than is kept
	Crowded        bool   // it was ended because it had started more processes than it may
	Left           int    // processes that it had left behind, and that were ended
}

// A Text is what a program printed: of Total bytes the first.
type Text struct {
	Bytes []byte
	Total int64
}

// Cut reports whether bytes are missing.
func (t Text) Cut() bool { return t.Total > int64(len(t.Bytes)) }

// A Kind says why a program was not started.
type Kind int

// The kinds.
const (
	NotFound    Kind = iota + 1 // there is no such program
	Refused                     // it must not or cannot be run so
	TooLong                     // its words and environment are more than the kernel takes
	Unsupported                 // this system cannot confine it as asked, or it cannot begin so
)

// A StartError says why a program was not started. Nothing of it has run.
type StartError struct {
	Kind    Kind
	Program string // as the command names it
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

// ErrLost says that the process that supervised a program was killed: by the program, by an operator
// or for want of memory. The program has run, and was ended; how far it came is not known.
var ErrLost = errors.New("the process that supervised it was killed")
