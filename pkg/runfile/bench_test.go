package runfile

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"oneshot/pkg/chat"
)

// benchBody makes a line of about 360 bytes.
func benchBody() Body {
	return Result{Call: "c17", Result: chat.Result{Data: json.RawMessage(`{"status":200,"body":"` + string(bytes.Repeat([]byte("x"), 180)) + `"}`)}, Duration: time.Millisecond}
}

// BenchmarkDurableAppend and BenchmarkWriteSync are the two sides of B10.
func BenchmarkDurableAppend(b *testing.B) {
	w, err := Create(filepath.Join(b.TempDir(), "run"), start())
	if err != nil {
		b.Fatal(err)
	}
	body := benchBody()
	for b.Loop() {
		if err := w.Append(body); err != nil {
			b.Fatal(err)
		}
		if err := w.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteSync(b *testing.B) {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "raw"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	var line bytes.Buffer
	if err := encode(&line, Header{Seq: 2, Run: testID, Kind: KindResult, Time: time.Now()}, benchBody()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.Write(line.Bytes()); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	w := &Writer{path: "p", run: testID, file: discard{}, now: time.Now}
	body := benchBody()
	for b.Loop() {
		if err := w.Append(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	bodies := make([]Body, 1000)
	for i := range bodies {
		bodies[i] = benchBody()
	}
	text := write(b, bodies...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// discard is a disk without cost.
type discard struct{}

func (discard) Write(p []byte) (int, error)     { return len(p), nil }
func (discard) Sync() error                     { return nil }
func (discard) Close() error                    { return nil }
func (discard) Reserve(int64) error             { return nil }
func (discard) CheckIntact(string, int64) error { return nil }
func (discard) FreeReservedSpace() error        { return nil }
