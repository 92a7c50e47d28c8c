package events

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// A Sink is the file that a [Queue] writes to. [os.File] is one.
type Sink interface {
	io.WriteCloser
	// SetWriteDeadline ends a blocked Write, if the file can.
	SetWriteDeadline(t time.Time) error
}

// Reasons why a [Queue] stops. Others are errors of the file.
var (
	ErrNoReader = errors.New("nobody reads it")
	ErrOverflow = fmt.Errorf("its reader is too slow: more than %d bytes wait for it", maxQueued)
	ErrStalled  = errors.New("its reader has stopped reading")
	ErrGone     = errors.New("its reader has gone")
)

// maxQueued is how many bytes may wait when another line is added.
const maxQueued = 1 << 20

// writeChunk is the largest number of bytes of one write, so that progress is noticed.
const writeChunk = 16 << 10

// The interval between attempts to open a file without a reader doubles from openInterval to maxOpenInterval.
const (
	openInterval    = 5 * time.Millisecond
	maxOpenInterval = 40 * time.Millisecond
)

// A Queue writes lines in a goroutine of its own, in order and as soon as the reader takes them. [Queue.Add] never blocks, and
// the memory is bounded: if the reader is too slow, the queue stops and drops the waiting lines. It is safe for concurrent use.
type Queue struct {
	open func() (Sink, error)
	wake chan struct{} // lines were added, or the queue ends
	done chan struct{} // the goroutine has ended

	mu      sync.Mutex
	lines   [][]byte  // whole lines, several in one element if they wait
	waiting int       // bytes that are not written
	since   time.Time // time of the latest write, or of the first waiting byte if later
	closed  bool
	failure error
	sink    Sink // nil until it is open
}

// NewQueue starts a queue. Open opens the file; as long as it returns [ErrNoReader] it is called again.
func NewQueue(open func() (Sink, error)) *Queue {
	q := &Queue{open: open, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go q.run()
	return q
}

// Add adds a line, which the queue keeps.
func (q *Queue) Add(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting > maxQueued {
		q.fail(ErrOverflow)
	}
	if q.failure != nil || q.closed {
		return
	}
	if q.waiting == 0 {
		q.since = time.Now()
	}
	q.waiting += len(line)
	switch last := len(q.lines) - 1; {
	case last < 0:
		q.lines = append(q.lines, line)
	case len(q.lines[last])+len(line) <= cap(q.lines[last]):
		q.lines[last] = append(q.lines[last], line...)
	default:
		q.lines = append(q.lines, append(make([]byte, 0, max(writeChunk, len(line))), line...))
	}
	q.notify()
}

// Wait blocks until the queue is at most half full. It gives up if the reader takes nothing for the duration patience.
func (q *Queue) Wait(patience time.Duration) {
	for {
		q.mu.Lock()
		isOver := q.failure != nil || q.waiting <= maxQueued/2 || time.Since(q.since) > patience
		q.mu.Unlock()
		if isOver {
			return
		}
		time.Sleep(openInterval)
	}
}

// Err returns why the queue has stopped, or nil.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.failure
}

// Close waits until all lines are written. Its error is the reason why some are not. It gives up if the reader has taken
// nothing for the duration patience, including the time before Close, and in any case after ten times patience.
func (q *Queue) Close(patience time.Duration) error {
	q.mu.Lock()
	q.closed = true
	if q.waiting == 0 {
		q.since = time.Now()
	}
	q.notify()
	q.mu.Unlock()
	for end := time.Now().Add(10 * patience); time.Now().Before(end); {
		q.mu.Lock()
		left := patience - time.Since(q.since)
		q.mu.Unlock()
		if left <= 0 {
			break
		}
		timer := time.NewTimer(left)
		select {
		case <-q.done:
			timer.Stop()
			return q.Err()
		case <-timer.C:
		}
	}
	q.mu.Lock()
	reason := ErrStalled
	if q.sink == nil {
		reason = ErrNoReader
	}
	q.fail(reason)
	q.mu.Unlock()
	return q.Err() // the goroutine ends by itself, unless the system cannot interrupt its write
}

// notify wakes the goroutine. The caller holds the mutex.
func (q *Queue) notify() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// fail stops the queue, also in the middle of a write. The caller holds the mutex.
func (q *Queue) fail(err error) {
	if q.failure != nil {
		return
	}
	q.failure, q.lines, q.waiting = err, nil, 0
	if q.sink != nil {
		_ = q.sink.SetWriteDeadline(time.Now()) // a file without deadlines blocks the goroutine only
	}
	q.notify()
}

// run writes lines until the queue is closed and empty, or fails.
func (q *Queue) run() {
	defer close(q.done)
	sink, err := q.openSinkWhenRead()
	for err == nil {
		lines, more := q.next()
		if !more {
			break
		}
		err = q.write(sink, lines)
	}
	if sink != nil {
		err = errors.Join(err, sink.Close())
	}
	if err != nil {
		if errors.Is(err, syscall.EPIPE) {
			err = ErrGone
		}
		q.mu.Lock()
		q.fail(err)
		q.mu.Unlock()
	}
}

// openSinkWhenRead opens the file, as soon as it has a reader.
func (q *Queue) openSinkWhenRead() (Sink, error) {
	for pause := openInterval; ; pause = min(2*pause, maxOpenInterval) {
		sink, err := q.open()
		if !errors.Is(err, ErrNoReader) {
			if err == nil {
				q.mu.Lock()
				q.sink = sink
				q.mu.Unlock()
			}
			return sink, err
		}
		if err := q.Err(); err != nil {
			return nil, err
		}
		time.Sleep(pause)
	}
}

// next waits for lines and takes them. It reports false at the end of the queue.
func (q *Queue) next() (lines [][]byte, more bool) {
	for {
		q.mu.Lock()
		lines, q.lines = q.lines, nil
		over := q.closed || q.failure != nil
		q.mu.Unlock()
		if len(lines) > 0 || over {
			return lines, len(lines) > 0
		}
		<-q.wake
	}
}

// write writes lines, several short ones at once.
func (q *Queue) write(sink Sink, lines [][]byte) error {
	var short []byte // lines that are written together
	for i, line := range lines {
		short = append(short, line...)
		if len(short) < writeChunk && i+1 < len(lines) {
			continue
		}
		for rest := short; len(rest) > 0; rest = rest[min(writeChunk, len(rest)):] {
			if err := q.writeChunk(sink, rest[:min(writeChunk, len(rest))]); err != nil {
				return err
			}
		}
		short = short[:0]
	}
	return nil
}

func (q *Queue) writeChunk(sink Sink, chunk []byte) error {
	_, err := sink.Write(chunk)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failure != nil {
		return q.failure
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ErrStalled
	}
	q.waiting, q.since = q.waiting-len(chunk), time.Now()
	return err
}
