package runfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
)

const testID = "20261121T084759.000Z-3f9ac2"

// start is a run record with every member set.
func start() Run {
	return Run{
		Version: Version, ID: testID, Seed: "9f3ac201d4e5b607", Now: time.Date(2026, 11, 21, 8, 47, 59, 0, time.UTC), Zone: "Europe/Berlin",
		Model: "ollama/qwen3:8b", Dialect: "tool", Prompt: "Find the <loudest> fan & say why.",
		Digests: Digests{Prompt: "sha256:aa", Tools: map[string]string{"f": "sha256:bb"}, Policy: "sha256:cc", Schema: "sha256:dd"},
		Limits:  Limits{Turns: 20, Calls: 100, Repeats: 3, Repairs: 2, Tokens: 1000, Wall: time.Minute, FirstByte: time.Second, Idle: 2 * time.Second},
		Params:  map[string]json.RawMessage{"num_ctx": json.RawMessage("8192"), "temperature": json.RawMessage("0.10")},
	}
}

// picture is the data of an attachment.
func picture() Attachment {
	a, _ := chat.NewAttachment("a.png", []byte("\x89PNG\r\n\x1a\n\x00"))
	return Attachment{SHA256: a.SHA256, Data: a.Data}
}

// story is a possible run with a record of every kind.
func story() []Body {
	return []Body{
		picture(),
		Request{Turn: 1, Purpose: chat.PurposeTurn, System: "You\u2028are <oneshot>.", Messages: []chat.Message{{Role: chat.User, Content: "go\n"}}, Digest: "sha256:01"},
		Attempt{Turn: 1, Attempt: chat.Attempt{Number: 1, Error: "HTTP 503", Status: 503, Wait: time.Second}},
		Call{Turn: 1, Index: 0, ID: "c1", Name: "wget", Proposed: json.RawMessage(`{"z":1.50,"a":12345678901234567890,"z":1e400}`), Verdict: "allow", Effect: "read", Early: true},
		Response{Turn: 1, Content: "```tool\nreturn wget();\n```", Reasoning: "hm", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 7, OutputTokens: 9}, Model: "qwen3:8b"},
		Call{Turn: 1, Index: 1, ID: "c2", Name: "file_put", Proposed: json.RawMessage(`{"path":"a"}`), Effective: json.RawMessage(`{"path":"b"}`), Digest: "sha256:02", Effect: "write", Verdict: "allow", Rule: "out", Why: "set"},
		Call{Turn: 1, Index: 2, ID: "c3", Name: "gmail_send", Proposed: json.RawMessage(`{}`), Effect: "write", Verdict: "ask"},
		End{Exit: 8, Name: "needs"},
		Resumed{KeptThrough: 8, Approve: []string{"sha256:03"}},
		Approval{Call: "c3", Digest: "sha256:03", Approved: true, By: "program", ID: "a1", Why: "fine", Modified: json.RawMessage(`{"to":"x"}`), ModifiedDigest: "sha256:04", Rule: "r", Labels: []string{"private"}},
		Result{Call: "c1", Result: chat.Result{Data: json.RawMessage(`{"b":"<p>&amp;</p>","a":0.10}`)}, Duration: time.Millisecond},
		Discarded{Call: "c1", Why: "the response was cut"},
		Intent{Call: "c2", Key: "k2"},
		Result{Call: "c2", Result: chat.Failure(chat.Failed, "disk <full>"), Duration: 2},
		Intent{Call: "c3", Key: "k3"},
		UnknownOutcome{Call: "c3", Key: "k3"},
		Request{Turn: 2, Purpose: chat.PurposeAnswer, Messages: []chat.Message{{Role: chat.Assistant, Content: "x"}, {Role: chat.User, Content: "answer"}}, Format: json.RawMessage(`{"type":"object"}`), Digest: "sha256:03"},
		Response{Turn: 2, Content: `{"answer":1.0}`, Stop: chat.StopEnd},
		Answer{JSON: json.RawMessage(`{"answer":1.0}`), FormatMode: "format", Repairs: 1},
		UserInput{Tool: "gmail_send", Values: map[string]string{"to": "<x>\n", "": "\u2028"}},
		Request{Turn: 3, Purpose: chat.PurposeTurn, Messages: []chat.Message{{Role: chat.User, Content: "told"}}, Digest: "sha256:05"},
		Response{Turn: 3, Content: `{"answer":2}`, Stop: chat.StopEnd},
		Answer{JSON: json.RawMessage(`{"answer":2}`), FormatMode: "text"},
		End{Exit: 0, Name: "ok", Why: "answered", Usage: chat.Usage{InputTokens: 10, OutputTokens: 11}, Turns: 2, Calls: 3},
	}
}

// write makes a run file of the bodies and returns its bytes.
func write(t testing.TB, bodies ...Body) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	w, err := Create(path, start())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bodies {
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Sync(), w.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWrittenIsRead(t *testing.T) {
	text := write(t, story()...)
	log, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if log.Torn != nil || log.Size != int64(len(text)) {
		t.Errorf("torn %v, size %d, want none and %d", log.Torn, log.Size, len(text))
	}
	want := append([]Body{start()}, story()...)
	var got []Body
	for i, r := range log.Records {
		if r.Seq != i+1 || r.Run != testID || r.Kind != r.Body.Kind() || r.Time.Location() != time.UTC || time.Since(r.Time) > time.Hour {
			t.Errorf("header of record %d: %+v", i+1, r.Header)
		}
		if end, ok := r.Body.(End); ok {
			if end.Duration <= 0 || end.Duration > time.Hour {
				t.Errorf("record %d: duration %v", i+1, end.Duration)
			}
			end.Duration = 0
			r.Body = end
		}
		got = append(got, r.Body)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bodies (-written +read):\n%s", diff)
	}
	if run, ok := log.Run(); !ok || run.ID != testID {
		t.Errorf("Run() = %v, %v", run.ID, ok)
	}
}

func TestStoryHasEveryKind(t *testing.T) {
	seen := map[Kind]bool{KindRun: true}
	for _, b := range story() {
		seen[b.Kind()] = true
	}
	for kind := range decoders {
		if !seen[kind] {
			t.Errorf("no record of kind %s in the story", kind)
		}
	}
}

func TestLineForm(t *testing.T) {
	text := write(t, Discarded{Call: "c1", Why: "<b> & \u00e9"})
	line := strings.Split(string(text), "\n")[1]
	if !strings.HasPrefix(line, `{"seq":2,"run":"`+testID+`","kind":"discarded","time":"`) || !strings.Contains(line, `Z","call":"c1","why":"<b> & é","crc":"`) {
		t.Errorf("line: %s", line)
	}
	if !json.Valid([]byte(line)) || !strings.HasSuffix(string(text), "\"}\n") {
		t.Errorf("not a JSON line: %s", line)
	}
}

// Tool results and model output are stored byte for byte.
func TestRawJSONIsExact(t *testing.T) {
	text := write(t, story()...)
	for _, want := range []string{
		`"proposed":{"z":1.50,"a":12345678901234567890,"z":1e400}`,
		`"result":{"ok":true,"data":{"b":"<p>&amp;</p>","a":0.10}}`,
		`"json":{"answer":1.0}`,
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("not in the file: %s", want)
		}
	}
}

func TestLargeResultIsCut(t *testing.T) {
	data, err := json.Marshal(strings.Repeat("é", MaxResult/2))
	if err != nil {
		t.Fatal(err)
	}
	log, err := Read(bytes.NewReader(write(t, Result{Call: "c1", Result: chat.Result{Data: data}})))
	if err != nil {
		t.Fatal(err)
	}
	got := log.Records[1].Body.(Result)
	var begin string
	if err := json.Unmarshal(got.Result.Data, &begin); err != nil {
		t.Fatal(err)
	}
	if !got.Truncated || got.Bytes != len(data) || !strings.HasPrefix(string(data), begin) || len(begin) < MaxResult-4 || len(begin) > MaxResult {
		t.Errorf("truncated %v, bytes %d, kept %d", got.Truncated, got.Bytes, len(begin))
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": there, "dangling": filepath.Join(dir, "absent")} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"there", "link", "dangling"} {
		if _, err := Create(filepath.Join(dir, name), start()); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: %v, want an error that the file exists", name, err)
		}
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "precious" {
		t.Errorf("the file that was there: %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the target of the dangling link: %v, want that it does not exist", err)
	}
	if _, err := Create(filepath.Join(dir, "no", "run"), start()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if _, err := Create(filepath.Join(dir, "noid"), Run{}); err == nil {
		t.Error("a run without an id was accepted")
	}
}

func TestCreateModeAndLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	w, err := Create(path, start())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var locked *LockedError
	if err := lock(f, path); !errors.As(err, &locked) {
		t.Errorf("second lock: %v, want a LockedError", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := lock(f, path); err != nil {
		t.Errorf("lock after Close: %v", err)
	}
}

func TestAppendAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	w, err := Create(path, start())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if err := w.Append(Discarded{Call: "c", Why: strings.Repeat("x", 5000)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := ReadFile(path)
	if err != nil || len(log.Records) != 401 || log.Torn != nil {
		t.Errorf("%d records, %v", len(log.Records), err)
	}
}

// brokenFile fails as configured.
type brokenFile struct {
	bytes.Buffer
	short                    bool
	writeErr, synErr, resErr error
	syncs, writes, reserves  int
}

func (f *brokenFile) Write(p []byte) (int, error) {
	f.writes++
	if f.short {
		return f.Buffer.Write(p[:len(p)/2])
	}
	if f.writeErr != nil {
		return 0, f.writeErr
	}
	return f.Buffer.Write(p)
}
func (f *brokenFile) Sync() error              { f.syncs++; return f.synErr }
func (f *brokenFile) Close() error             { return nil }
func (f *brokenFile) FreeReservedSpace() error { f.writes++; return nil }

func (f *brokenFile) CheckIntact(string, int64) error { return nil }

func (f *brokenFile) Reserve(int64) error {
	f.reserves++
	return f.resErr
}

// After the first failure nothing is written, and no fsync is tried again.
func TestWriterDies(t *testing.T) {
	boom := errors.New("boom")
	for name, f := range map[string]*brokenFile{
		"write":   {writeErr: boom},
		"short":   {short: true},
		"sync":    {synErr: boom},
		"reserve": {resErr: boom},
	} {
		w := &Writer{path: "p", run: testID, file: f, now: time.Now}
		first := errors.Join(w.Append(Intent{}), w.Sync())
		var dead *WriteError
		if !errors.As(first, &dead) {
			t.Fatalf("%s: %v, want a WriteError", name, first)
		}
		writes, syncs := f.writes, f.syncs
		f.short, f.writeErr, f.synErr, f.resErr = false, nil, nil, nil
		for what, err := range map[string]error{"append": w.Append(End{}), "sync": w.Sync(), "close": w.Close()} {
			if err != error(dead) {
				t.Errorf("%s, then %s: %v, want the same error", name, what, err)
			}
		}
		if f.writes != writes || f.syncs != syncs {
			t.Errorf("%s: the file was touched again", name)
		}
	}
}

func TestWriterAfterClose(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "run"), start())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(End{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
}

// TestAppendRefuses checks that a body that cannot be recorded leaves the file unchanged and the writer usable.
func TestAppendRefuses(t *testing.T) {
	f := &brokenFile{}
	w := &Writer{path: "p", run: testID, file: f, now: time.Now}
	if err := w.Append(Answer{JSON: json.RawMessage("{")}); err == nil {
		t.Error("broken JSON was accepted")
	}
	var size *SizeError
	if err := w.Append(Response{Content: strings.Repeat("x", MaxLine)}); !errors.As(err, &size) || size.Kind != KindResponse {
		t.Errorf("large record: %v, want a SizeError", err)
	}
	if f.writes != 0 {
		t.Error("something was written")
	}
	if err := w.Append(End{}); err != nil || w.seq != 1 {
		t.Errorf("the next record: %v, seq %d", err, w.seq)
	}
}

func TestNewID(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 47, 59, 5, time.FixedZone("CET", 3600))
	if got := NewID(now, 0xff3f9ac2); got != testID {
		t.Errorf("NewID = %s, want %s", got, testID)
	}
	if a, b := NewID(now, 1<<24-1), NewID(now.Add(time.Millisecond), 0); a >= b {
		t.Errorf("%s does not sort before %s", a, b)
	}
}
