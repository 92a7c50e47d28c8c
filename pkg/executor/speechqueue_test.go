package executor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/subprocess/programtest"
)

// newSpeaker returns a speaker that runs a program for each text, and the messages that
// it shows.
func newSpeaker(t *testing.T, p subprocess.Program) (*TextToSpeech, *screen) {
	t.Helper()
	out := new(screen)
	s := NewTextToSpeech(t.Context(), p, out)
	t.Cleanup(func() { s.Close(t.Context()) })
	return s, out
}

// say calls the tool with a text and returns the result.
func say(t *testing.T, s *TextToSpeech, text string) chat.Result {
	t.Helper()
	return invoke(t, s.say, map[string]string{"utterance": text})
}

// invoke calls a tool with arguments and fails the test on an error.
func invoke(t *testing.T, f Func, args map[string]string) chat.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	result, err := f(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// wantSpoken fails the test unless the result reports that the text is or will be spoken.
func wantSpoken(t *testing.T, r chat.Result) {
	t.Helper()
	if string(r.Data) != `{"spoken":true,"shown":false}` {
		t.Errorf("%s, %+v", r.Data, r.Error)
	}
}

// M4: texts are spoken in order and one at a time, also after a pause.
func TestSayOrder(t *testing.T) {
	s, shown := newSpeaker(t, shell)
	out := filepath.Join(t.TempDir(), "said")
	var want strings.Builder
	for _, word := range []string{"one", "two", "three"} {
		wantSpoken(t, say(t, s, "echo begin "+word+" >>"+out+"; echo end "+word+" >>"+out))
		want.WriteString("begin " + word + "\nend " + word + "\n")
	}
	w := programtest.NewWitness(t)
	wantSpoken(t, say(t, s, "echo here >"+w.Path))
	w.WantStarted(t)
	w.WantGone(t)
	wantSpoken(t, say(t, s, "echo after >>"+out))
	want.WriteString("after\n")
	s.Close(t.Context())
	if got, err := os.ReadFile(out); err != nil || string(got) != want.String() {
		t.Errorf("said %q, %v, want %q", got, err, want.String())
	}
	if shown.String() != "" {
		t.Errorf("shown: %q", shown)
	}
}

// A command that hangs blocks neither the calls nor the end of the run, and is killed
// with its descendants. Texts that were not spoken are shown, with the reason.
func TestSayHangs(t *testing.T) {
	s, shown := newSpeaker(t, shell)
	w := programtest.NewWitness(t)
	begin := time.Now()
	wantSpoken(t, say(t, s, w.Stubborn()))
	wantSpoken(t, say(t, s, "echo never"))
	w.WantStarted(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.Close(ended)
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	w.WantGone(t)
	want := "say (not spoken: the run is over): " + w.Stubborn() + "\nsay (not spoken: the run is over): echo never\n"
	if shown.String() != want {
		t.Errorf("shown %q, want %q", shown, want)
	}
	wantError(t, say(t, s, "echo late"), chat.Unavailable, "the run is over")
}

// The end of the run's context kills the command, even before Close.
func TestSayEndsWithContext(t *testing.T) {
	out := new(screen)
	ctx, cancel := context.WithCancelCause(t.Context())
	s := NewTextToSpeech(ctx, shell, out)
	w := programtest.NewWitness(t)
	wantSpoken(t, say(t, s, w.Stubborn()))
	w.WantStarted(t)
	cancel(errors.New("interrupted by SIGINT"))
	w.WantGone(t)
	wantError(t, say(t, s, "echo late"), chat.Unavailable, "the run is over")
	s.Close(t.Context())
	if got := out.String(); !strings.HasPrefix(got, "say (not spoken: interrupted by SIGINT): trap") {
		t.Errorf("shown %q", got)
	}
}

// Close waits until the queue is empty.
func TestSayCloseWaits(t *testing.T) {
	s, shown := newSpeaker(t, shell)
	out := filepath.Join(t.TempDir(), "said")
	wantSpoken(t, say(t, s, "sleep 0.1; echo said >"+out))
	s.Close(t.Context())
	if got, err := os.ReadFile(out); err != nil || string(got) != "said\n" || shown.String() != "" {
		t.Errorf("said %q, %v; shown %q", got, err, shown)
	}
	s.Close(t.Context()) // a second Close does nothing
}

// The queue has a maximum number of texts and of bytes.
func TestSayRowIsBounded(t *testing.T) {
	s, _ := newSpeaker(t, shell)
	w := programtest.NewWitness(t)
	wantSpoken(t, say(t, s, w.Stubborn()))
	w.WantStarted(t)
	for range maxQueue {
		wantSpoken(t, say(t, s, "true"))
	}
	full := say(t, s, "true")
	wantError(t, full, chat.RateLimited, "16 utterances are already waiting")
	if !full.Error.Retryable {
		t.Error("a row that is full now may have room later")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.Close(ended)

	s, _ = newSpeaker(t, shell)
	w = programtest.NewWitness(t)
	wantSpoken(t, say(t, s, w.Stubborn()))
	w.WantStarted(t)
	long := strings.Repeat("ä", maxSpeechChars)
	wantSpoken(t, say(t, s, long))
	wantSpoken(t, say(t, s, long))
	wantError(t, say(t, s, long), chat.RateLimited, "2 utterances")
	s.Close(ended)
	w.WantGone(t)
}

// A command that cannot be run or fails is reported.
func TestSayFails(t *testing.T) {
	s, _ := newSpeaker(t, subprocess.Program{Err: errors.New("not found in $PATH")})
	wantError(t, say(t, s, "hi"), chat.Unavailable, "cannot run the text-to-speech command: not found in $PATH")
	for _, c := range []struct {
		program      subprocess.Program
		script, want string
	}{
		{shell, "exit 3", "say (not spoken: exit status 3): exit 3\n"},
		{shell, "kill -KILL $$", "say (not spoken: signal: killed): kill -KILL $$\n"},
		{subprocess.Program{Path: "/nowhere/speak"}, "hi", "say (not spoken: fork/exec /nowhere/speak: no such file or directory): hi\n"},
	} {
		s, shown := newSpeaker(t, c.program)
		wantSpoken(t, say(t, s, c.script))
		s.Close(t.Context())
		if shown.String() != c.want {
			t.Errorf("shown %q, want %q", shown, c.want)
		}
	}
	wantError(t, say(t, nil, "hi"), chat.Failed, "no text-to-speech")
	if _, err := NewTextToSpeech(t.Context(), subprocess.Program{}, brokenPipe{}).say(t.Context(), json.RawMessage(`{"utterance":"hi"}`)); err == nil {
		t.Error("words that were neither spoken nor shown are no success")
	}
}

func TestSayShows(t *testing.T) {
	s, shown := newSpeaker(t, subprocess.Program{})
	if r := say(t, s, "one\n\x1b[2J two\n"); string(r.Data) != `{"spoken":false,"shown":true}` {
		t.Errorf("%s, %+v", r.Data, r.Error)
	}
	if want := "say: one\nsay: \\u001b[2J two\n"; shown.String() != want {
		t.Errorf("shown %q, want %q", shown, want)
	}
}

// T13: the text, the voice and the style are checked.
func TestUtterance(t *testing.T) {
	for _, c := range []struct {
		u     speechJob
		wrong string // start of the fault; "" for none
	}{
		{speechJob{"hi", "", ""}, ""},
		{speechJob{"-v", "Flo (Deutsch)", "slow, calm"}, ""},
		{speechJob{strings.Repeat("語", maxSpeechChars), "小春", "de-DE/x+y_z:1=2"}, ""},
		{speechJob{"", "", ""}, "utterance"},
		{speechJob{" \n\t", "", ""}, "utterance"},
		{speechJob{strings.Repeat("a", maxSpeechChars+1), "", ""}, "utterance"},
		{speechJob{"hi", "-v", ""}, "voiceId"},
		{speechJob{"hi", "a -f b", ""}, "voiceId"},
		{speechJob{"hi", "a\nb", ""}, "voiceId"},
		{speechJob{"hi", "a\u00a0b", ""}, "voiceId"},
		{speechJob{"hi", "a\x00", ""}, "voiceId"},
		{speechJob{"hi", strings.Repeat("a", maxVoiceChars+1), ""}, "voiceId"},
		{speechJob{"hi", "", "a\u202eb"}, "style"},
		{speechJob{"hi", "", "--calm"}, "style"},
	} {
		got := c.u.problem()
		if (got == "") != (c.wrong == "") || !strings.HasPrefix(got, c.wrong) {
			t.Errorf("%+v: %q, want %q", c.u, got, c.wrong)
		}
	}
	if got := (speechJob{text: "a\x00b\x1bc\td\r\ne\n\n"}).stdin(); got != "a b c\td \ne\n\n" {
		t.Errorf("stdin %q", got)
	}
	if got := (speechJob{text: strings.Repeat("a", 100)}).timeLimit(); got != 20*time.Second {
		t.Errorf("100 bytes have %v", got)
	}
}
