package events

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A pipe is a Sink with a scripted reader. A write that exceeds the room left blocks until the deadline.
type pipe struct {
	mu      sync.Mutex
	got     strings.Builder
	room    int // number of bytes that it still takes
	fail    error
	ended   chan struct{} // closed by the deadline
	endOnce sync.Once
}

func newPipe(room int) *pipe { return &pipe{room: room, ended: make(chan struct{})} }

func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		return 0, p.fail
	}
	if len(b) > p.room {
		p.mu.Unlock()
		<-p.ended
		p.mu.Lock()
		return 0, os.ErrDeadlineExceeded
	}
	p.room -= len(b)
	p.got.Write(b)
	return len(b), nil
}

func (p *pipe) SetWriteDeadline(time.Time) error {
	p.endOnce.Do(func() { close(p.ended) })
	return nil
}

func (p *pipe) Close() error { return nil }

func opens(s Sink) func() (Sink, error) { return func() (Sink, error) { return s, nil } }

// line is as long as the event of a short piece of text.
var line = []byte(`{"event":"on_chat_model_stream","data":"abcd"}` + "\n")

const deltas = 10_000

// All lines arrive in order.
func TestQueue(t *testing.T) {
	p := newPipe(1 << 30)
	q := NewQueue(opens(p))
	var want strings.Builder
	for i := range deltas {
		text := fmt.Sprintf("%d\n", i)
		want.WriteString(text)
		q.Add([]byte(text))
	}
	big := strings.Repeat("x", 3<<20) + "\n"
	q.Add([]byte(big)) // one event may be longer than the limit of the queue
	if err := q.Close(time.Minute); err != nil {
		t.Fatal(err)
	}
	if p.got.String() != want.String()+big {
		t.Errorf("%d bytes arrived, want %d", p.got.Len(), want.Len()+len(big))
	}
}

// With a reader that takes nothing, or one line, the memory is bounded and no Add blocks.
func TestQueueBounds(t *testing.T) {
	for name, open := range map[string]func() (Sink, error){
		"nobody":   func() (Sink, error) { return nil, ErrNoReader },
		"one line": opens(newPipe(len(line))),
	} {
		t.Run(name, func(t *testing.T) {
			q := NewQueue(open)
			most := 0
			for range 10 * deltas {
				q.Add(line)
				q.mu.Lock()
				most = max(most, q.waiting)
				q.mu.Unlock()
			}
			if !errors.Is(q.Err(), ErrOverflow) {
				t.Errorf("error %v", q.Err())
			}
			if most > maxQueued+2*len(line) {
				t.Errorf("%d bytes waited", most)
			}
			q.mu.Lock()
			if q.waiting != 0 || q.lines != nil {
				t.Errorf("%d bytes are kept after the overflow", q.waiting)
			}
			q.mu.Unlock()
			_ = q.Close(time.Minute) // returns at once
			<-q.done
		})
	}
}

// The events of 10,000 deltas fit, so a reader that opens the file late or reads slowly misses nothing.
func TestQueueHoldsARun(t *testing.T) {
	if deltas*len(line) > maxQueued {
		t.Errorf("%d deltas have %d bytes", deltas, deltas*len(line))
	}
	var mu sync.Mutex
	ready, p := false, newPipe(1<<30)
	q := NewQueue(func() (Sink, error) {
		mu.Lock()
		defer mu.Unlock()
		if !ready {
			return nil, ErrNoReader
		}
		return p, nil
	})
	for range deltas {
		q.Add(line)
	}
	mu.Lock()
	ready = true
	mu.Unlock()
	if err := q.Close(time.Minute); err != nil || p.got.Len() != deltas*len(line) {
		t.Errorf("%d bytes arrived: %v", p.got.Len(), err)
	}
}

func TestQueueErrors(t *testing.T) {
	broken := newPipe(1 << 20)
	broken.fail = fmt.Errorf("write: %w", syscall.EPIPE)
	full := newPipe(1 << 20)
	full.fail = io.ErrShortWrite
	for name, c := range map[string]struct {
		open func() (Sink, error)
		want error
	}{
		"nobody":  {func() (Sink, error) { return nil, ErrNoReader }, ErrNoReader},
		"stalled": {opens(newPipe(len(line))), ErrStalled},
		"gone":    {opens(broken), ErrGone},
		"full":    {opens(full), io.ErrShortWrite},
		"closed":  {func() (Sink, error) { return nil, os.ErrPermission }, os.ErrPermission},
	} {
		t.Run(name, func(t *testing.T) {
			q := NewQueue(c.open)
			q.Add(line)
			q.Add(line)
			if err := q.Close(20 * time.Millisecond); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			q.Add(line)
			<-q.done
		})
	}
}

// A slowPipe takes a little time for each write.
type slowPipe struct{ *pipe }

func (p slowPipe) Write(b []byte) (int, error) {
	time.Sleep(100 * time.Microsecond)
	return p.pipe.Write(b)
}

// Recorded events, which are added all at once, wait for a reader that reads, and not for one that has stopped.
func TestQueueWait(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sink     Sink
		patience time.Duration
		want     error
	}{
		{"a slow reader", slowPipe{newPipe(1 << 30)}, time.Minute, nil},
		{"a reader that has stopped", newPipe(0), 10 * time.Millisecond, ErrOverflow},
	} {
		q, long := NewQueue(opens(tt.sink)), []byte(strings.Repeat("x", 8<<10)+"\n")
		for range 4 * maxQueued / len(long) {
			q.Add(long)
			q.Wait(tt.patience)
		}
		if err := q.Close(time.Minute); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
