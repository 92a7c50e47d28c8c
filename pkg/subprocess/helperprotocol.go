package subprocess

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
)

// A job is the input of the helper, except for open files. It is sent through a pipe, so a process list does not
// reveal it.
type job struct {
	Helper    []base64Text
	Path      base64Text
	Argv, Env []base64Text
	Temp      base64Text // temporary folder, removed by the supervisor
	Limits    limits
	Sandboxes []sandbox
}

type sandbox struct {
	Read, Write       []base64Text
	Network, Optional bool
	NoWorkDir         bool // do not grant the working directory implicitly
}

// limits are the resource limits of a program, as for setrlimit(2).
type limits struct{ Memory, FileSize, Processes, OpenFiles uint64 }

// A base64Text is a text of arbitrary bytes, which JSON strings would not preserve.
type base64Text string

// MarshalText implements [encoding.TextMarshaler] with base64.
func (e base64Text) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, []byte(e)), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *base64Text) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	*e = base64Text(b)
	return err
}

func toBase64Texts(texts []string) []base64Text {
	var all []base64Text
	for _, t := range texts {
		all = append(all, base64Text(t))
	}
	return all
}

func toStrings(texts []base64Text) []string {
	var all []string
	for _, t := range texts {
		all = append(all, string(t))
	}
	return all
}

// encodeJob encodes a job for the pipe: a length of four bytes, then JSON.
func encodeJob(j job) ([]byte, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...), nil
}

// readJob reads exactly one job. It also returns the frame for forwarding.
func readJob(from io.Reader) (j job, frame []byte, err error) {
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

// A report is a line of JSON from the helper. The first names the process that will become the program, the last is the
// end of the program or the reason why it was not started.
type report struct {
	Started int           `json:",omitzero"`
	Refused *startFailure `json:",omitzero"`
	Ended   *exitInfo     `json:",omitzero"`
}

// A startFailure is a [StartError] in transit from the helper.
type startFailure struct {
	Kind Kind
	Text string
}

// An exitInfo describes the end of a program.
type exitInfo struct {
	Exit       int // -1 if a signal ended it
	Signal     int
	LeftBehind int

	TooManyProcesses bool
}

// Orders to the helper after the job. The end of the pipe means orderStop.
const (
	orderStop = 's' // SIGTERM first
	orderKill = 'k'
)

// Descriptors of both helper stages; 0 to 2 belong to the program.
const (
	fdJob = iota + 3
	fdReport
	fdDir
	fdTemp
)

// Names of the helper stages in a process list.
const (
	supervisorName = "oneshot-supervisor"
	stageName      = "oneshot-start"
)
