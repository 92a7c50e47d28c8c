//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A peers value is a process that runs the readers of other projects. It is its own
// module, so that this one does not depend on them.
type peers struct {
	dir string // for the texts that they read
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// ollamaParsers are the parsers of Ollama for dialects.
var ollamaParsers = map[string]string{
	"hermes": "qwen3", "qwen3_coder_xml": "qwen3-coder", "mistral_args": "ministral", "harmony": "harmony",
	"deepseek_v31": "deepseek3", "cohere_command4": "cohere", "glm47_moe": "glm-4.7", "gemma4": "gemma4-no-thinking",
	"functiongemma": "functiongemma", "olmo3": "olmo3", "lfm2": "lfm2", "laguna": "poolside-v1", "muse_glimmer": "glimmer",
}

// startPeers builds and starts the process, or logs why there will be no comparison.
func (b *Bench) startPeers(ctx context.Context) *peers {
	p := &peers{dir: b.Dir}
	if !b.Peers {
		b.logProgress("no comparison with other readers: -peers=false")
		return p
	}
	b.logProgress("building other readers")
	program := filepath.Join(b.Dir, "peers")
	if out, err := exec.CommandContext(ctx, "go", "build", "-C", "scripts/bench/peers", "-o", program, ".").CombinedOutput(); err != nil {
		b.logProgress("no comparison with other readers: %v: %s", err, out)
		return p
	}
	if err := p.start(exec.CommandContext(ctx, program)); err != nil {
		b.logProgress("no comparison with other readers: %v", err)
	}
	return p
}

func (p *peers) start(cmd *exec.Cmd) error {
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd, p.in, p.out = cmd, in, json.NewDecoder(out)
	return nil
}

// Close ends the process.
func (p *peers) Close() error {
	if p.cmd == nil {
		return nil
	}
	return errors.Join(p.in.Close(), p.cmd.Wait())
}

// dialectPeers returns the readers of other projects for these calls of a dialect.
func (b *Bench) dialectPeers(p *peers, dialect string, t calls) []Reader {
	parser, ok := ollamaParsers[dialect]
	if !ok {
		return nil
	}
	return b.peerReaders(p, "Ollama, "+parser, parser, t)
}

// peerReaders returns a reader, or logs why there is none.
func (b *Bench) peerReaders(p *peers, name, parser string, t calls) []Reader {
	if p.cmd == nil {
		return nil
	}
	r := p.newReader(name, parser, t)
	if _, err := r.Time(); err != nil {
		b.logProgress("no comparison with %s, which cannot read the same: %.60v", name, err)
		return nil
	}
	return []Reader{r}
}

// newReader returns a reader of a text, which fails if it finds another number of calls.
func (p *peers) newReader(name, parser string, t calls) Reader {
	return Reader{Name: name, Size: len(t.text), Time: func() (time.Duration, error) {
		reply, err := p.request(parser, t.text, longEnough)
		if err != nil {
			return 0, err
		}
		if reply.Calls != t.count {
			return 0, fmt.Errorf("%d calls, want %d", reply.Calls, t.count)
		}
		return reply.Time, nil
	}}
}

// A peerReply is the reply of a reader.
type peerReply struct {
	Time  time.Duration
	Calls int // or tokens
	Error string
}

// request makes a reader read a text for at least a time.
func (p *peers) request(reader string, text []byte, atLeast time.Duration) (reply peerReply, err error) {
	file := filepath.Join(p.dir, "response.txt")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return reply, err
	}
	request := map[string]any{"Reader": reader, "File": file, "Tool": benchTool, "AtLeast": atLeast}
	if err := errors.Join(json.NewEncoder(p.in).Encode(request), p.out.Decode(&reply)); err != nil {
		return reply, err
	}
	if reply.Error != "" {
		return reply, errors.New(reply.Error)
	}
	return reply, nil
}
