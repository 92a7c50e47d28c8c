package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/subprocess"
)

// The bounds of speech.
const (
	maxUtterance = 2000    // characters of one
	maxManner    = 64      // characters of a voice's or a style's name
	maxRow       = 16      // utterances that wait
	maxRowBytes  = 8 << 10 // of them together

	// An utterance has this much time: what a program may need to start, and
	// about twice of what speech takes, in any script.
	slowStart = 5 * time.Second
	slowByte  = 150 * time.Millisecond
)

// errOver is why something is not said that has to wait when a run ends.
var errOver = errors.New("the run is over")

// A Speaker says utterances aloud, one at a time and in the order in which they
// come, by a program that reads one on stdin and ends when it has said it.
// Whatever was not said is shown. Its methods may be called from several
// goroutines.
type Speaker struct {
	program subprocess.Program
	shown   talker
	ctx     context.Context
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	row    []utterance   // that wait
	idle   chan struct{} // closed when nothing is left to say; nil when nothing was
	closed bool
}

// NewSpeaker returns a speaker that runs a program, or, if there is none, shows
// the words on out: each text with one Write. When ctx ends, or [Speaker.Close]
// is called, the program is ended, with all that it has started and that has not
// left its process group.
func NewSpeaker(ctx context.Context, p subprocess.Program, out io.Writer) *Speaker {
	s := &Speaker{program: p, shown: talker{out: out}}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// Close says what waits until ctx ends, and then nothing more. When it returns,
// the program has ended.
func (s *Speaker) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	idle := s.idle
	s.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
		}
	}
	s.cancel(errOver)
	if idle != nil {
		<-idle
	}
}

// An utterance is something to say, and how.
type utterance struct{ text, voice, style string }

// say is say(utterance, voiceId, style) (M4): it takes its place in the row, and
// does not wait for it.
func (s *Speaker) say(_ context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decode[struct {
		Utterance string `json:"utterance"`
		VoiceID   string `json:"voiceId"`
		Style     string `json:"style"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	u := utterance{args.Utterance, args.VoiceID, args.Style}
	if why := u.wrong(); why != "" {
		return chat.Failure(chat.InvalidArguments, "%s", why), nil
	}
	switch {
	case s == nil:
		return chat.Failure(chat.Failed, "this run has no voice"), nil
	case !s.program.IsNamed():
		if err := s.shown.show("say: ", u.text); err != nil {
			return chat.Result{}, err
		}
		return spoken(false), nil
	case s.program.Err != nil:
		return chat.Failure(chat.Unavailable, "the speaker cannot be run: %v", s.program.Err), nil
	}
	if refused := s.add(u); refused != nil {
		return *refused, nil
	}
	return spoken(true), nil
}

// spoken is the result of a call whose words are spoken, or else shown.
func spoken(yes bool) chat.Result {
	return chat.Success(struct {
		Spoken bool `json:"spoken"`
		Shown  bool `json:"shown"`
	}{yes, !yes})
}

// wrong says what is wrong with an utterance, or "".
func (u utterance) wrong() string {
	switch {
	case strings.TrimSpace(u.text) == "":
		return "utterance is blank"
	case utf8.RuneCountInString(u.text) > maxUtterance:
		return fmt.Sprintf("utterance is longer than %d characters", maxUtterance)
	case badManner(u.voice):
		return "voiceId has to be the name of a voice"
	case badManner(u.style):
		return "style has to be the name of a style"
	}
	return ""
}

// badManner reports what cannot be the name of a voice or a style. A word of it
// must not look like an option: the speaker may be a script that forgets quotes.
func badManner(name string) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return utf8.RuneCountInString(name) > maxManner || strings.ContainsFunc(name, unprintable) || strings.Contains(" "+name, " -")
}

// add puts an utterance at the end of the row. The result says why it has no
// place there.
func (s *Speaker) add(u utterance) *chat.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.ctx.Err() != nil {
		over := chat.Failure(chat.Unavailable, "%v", errOver)
		return &over
	}
	bytes := len(u.text)
	for _, waiting := range s.row {
		bytes += len(waiting.text)
	}
	if len(s.row) == maxRow || len(s.row) > 0 && bytes > maxRowBytes {
		full := chat.Failure(chat.RateLimited, "%d utterances still wait to be said", len(s.row))
		return &full
	}
	s.row = append(s.row, u)
	if s.idle == nil {
		s.idle = make(chan struct{})
		go s.work()
	}
	return nil
}

// work says what waits until nothing does.
func (s *Speaker) work() {
	for {
		u, ok := s.next()
		if !ok {
			return
		}
		if err := s.utter(u); err != nil {
			_ = s.shown.show(fmt.Sprintf("say (not spoken: %v): ", err), u.text) // nobody is left to tell
		}
	}
}

// next takes the first utterance of the row. It reports false when there is none
// and the work is done.
func (s *Speaker) next() (utterance, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.row) == 0 {
		close(s.idle)
		s.idle = nil
		return utterance{}, false
	}
	u := s.row[0]
	s.row = s.row[1:]
	return u, true
}

// utter says one utterance. The error says why it was not said to its end.
func (s *Speaker) utter(u utterance) error {
	ctx, cancel := context.WithTimeoutCause(s.ctx, u.limit(), fmt.Errorf("it took longer than %v", u.limit()))
	defer cancel()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	p, err := s.program.Start(u.environment(), strings.NewReader(u.stdin()))
	if err != nil {
		return err
	}
	return p.Finish(ctx)
}

// limit is how long it may take to say it.
func (u utterance) limit() time.Duration {
	return slowStart + time.Duration(len(u.text))*slowByte
}

// stdin is what the program reads: the text as lines, and of control characters
// only those that mean something in speech.
func (u utterance) stdin() string {
	clean := func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	return strings.TrimSuffix(strings.Map(clean, u.text), "\n") + "\n"
}

// environment is how it is to be said. What is not said has no variable.
func (u utterance) environment() []string {
	var env []string
	if u.voice != "" {
		env = append(env, "ONESHOT_VOICE="+u.voice)
	}
	if u.style != "" {
		env = append(env, "ONESHOT_STYLE="+u.style)
	}
	return env
}
