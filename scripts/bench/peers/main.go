//go:build unix

// Command peers runs readers of other projects on files, and times them. It is
// its own module, so that oneshot does not depend on them.
//
// Each line of its input is a [Request], each line of its output a [Reply].
package main

import (
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/kaptinlin/jsonrepair"
	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/model/parsers"
	"github.com/tiktoken-go/tokenizer"
)

// A Request asks for the time that a reader takes for a file.
type Request struct {
	Reader  string // "jsonrepair", a parser of Ollama, "o200k", which counts tokens, or "sqlite", which writes
	File    string
	Tool    string        // the tool that the file calls
	AtLeast time.Duration // how long passes are measured together
}

// A Reply is the CPU time of one pass.
type Reply struct {
	Time  time.Duration
	Calls int // that a parser has found, or tokens
	Error string
}

func main() {
	runtime.GOMAXPROCS(1)
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var q Request
		if err := in.Decode(&q); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		if err := out.Encode(q.reply()); err != nil {
			log.Fatal(err)
		}
	}
}

func (q Request) reply() (r Reply) {
	if q.Reader == "sqlite" {
		return q.insert()
	}
	text, err := os.ReadFile(q.File)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	start, passes := cpuTime(), 0
	for ; passes == 0 || r.Time < q.AtLeast; passes++ {
		if r.Calls, err = q.read(string(text)); err != nil {
			return Reply{Error: err.Error()}
		}
		r.Time = cpuTime() - start
	}
	r.Time /= time.Duration(passes)
	return r
}

// cpuTime returns the CPU time of this process.
func cpuTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// read reads a text and counts the calls in it, or its tokens.
func (q Request) read(text string) (int, error) {
	if q.Reader == "o200k" {
		codec, err := tokenizer.Get(tokenizer.O200kBase)
		if err != nil {
			return 0, err
		}
		return codec.Count(text)
	}
	if q.Reader == "jsonrepair" {
		_, err := jsonrepair.Repair(text)
		return 0, err
	}
	p := parsers.ParserForName(q.Reader)
	if p == nil {
		return 0, errors.New("Ollama has no parser " + q.Reader)
	}
	p.Init([]api.Tool{{Type: "function", Function: api.ToolFunction{Name: q.Tool}}}, nil, &api.ThinkValue{Value: false})
	_, _, calls, err := p.Add(strings.Clone(text), true)
	return len(calls), err
}
