package subprocess

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
)

// A job is what the helper is told: everything but the open files. It goes through a pipe, so
// that nothing of it can be seen in a list of processes.
type job struct {
	Helper    []exact
	Path      exact
	Argv, Env []exact
	Temp      exact // the temporary folder, which the supervisor removes
	Limits    limits
	Sandboxes []sandbox
}

type sandbox struct {
	Read, Write       []exact
	Network, Optional bool
	Apart             bool // the folder that the program runs in is not granted by itself
}

// limits are those of setrlimit(2).
type limits struct{ Memory, FileSize, Processes, OpenFiles uint64 }

// An exact is a text of any bytes, which JSON would not keep.
type exact string

// MarshalText encodes it for JSON.
func (e exact) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, []byte(e)), nil
}

// UnmarshalText decodes it.
func (e *exact) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	*e = exact(b)
	return err
}

func exactly(texts []string) []exact {
	var all []exact
	for _, t := range texts {
		all = append(all, exact(t))
	}
	return all
}

func plainly(texts []exact) []string {
	var all []string
	for _, t := range texts {
		all = append(all, string(t))
	}
	return all
}

// framed is a job as it goes through a pipe: its length in four bytes, and JSON.
func framed(j job) ([]byte, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...), nil
}

// receive reads a job, and no byte more. It also returns the bytes, to be passed on.
func receive(from io.Reader) (j job, frame []byte, err error) {
	frame = make([]byte, 4)
	if _, err := io.ReadFull(from, frame); err != nil {
		return job{}, nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
	if _, err := io.ReadFull(from, frame[4:]); err != nil {
		return job{}, nil, err
	}
	return j, frame, json.Unmarshal(frame[4:], &j)
}

// A report is what the helper tells: each a line of JSON. First comes which process is to become
// the program, and last how it ended, or why it was not started.
type report struct {
	Started int     `json:",omitzero"`
	Refused *reason `json:",omitzero"`
	Ended   *ending `json:",omitzero"`
}

// A reason is why a program was not started: a StartError as the helper knows it.
type reason struct {
	Kind Kind
	Text string
}

// An ending is how a program ended.
type ending struct {
	Exit   int // -1 when a signal ended it
	Signal int
	Left   int

	Crowded bool
}

// What the helper can be told after the job. The end of the pipe is an order to stop, too.
const (
	orderStop = 's' // politely first
	orderKill = 'k'
)

// The helper's descriptors, in both of its stages: 0 to 2 are those of the program.
const (
	fdJob = iota + 3
	fdReport
	fdDir
	fdTemp
)

// What the helper is called in a list of processes.
const (
	supervisorName = "oneshot-supervisor"
	stageName      = "oneshot-start"
)
