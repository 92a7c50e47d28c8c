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

// Limits of speech.
const (
	maxSpeechChars = 2000    // characters of one text
	maxVoiceChars  = 64      // characters of a voice or style name
	maxQueue       = 16      // waiting jobs
	maxQueueBytes  = 8 << 10 // of text in the queue

	// The time limit of a job: an allowance for the start, and per byte about twice the
	// duration of speech in any script.
	startAllowance = 5 * time.Second
	byteAllowance  = 150 * time.Millisecond
)

// errRunOver means that the run ended before a job was completed.
var errRunOver = errors.New("the run is over")

// A TextToSpeech speaks texts one at a time, in order, by a command that reads one text on stdin and ends when
// it has been spoken. Texts that could not be spoken are written out. Its methods may be called concurrently.
type TextToSpeech struct {
	program subprocess.Program
	out     chatWriter
	ctx     context.Context
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	queue  []speechJob   // waiting jobs
	idle   chan struct{} // closed when the queue is done; nil before the first job
	closed bool
}

// NewTextToSpeech returns one that runs a command, or without one writes the texts to out, each with one
// Write; its calls fail without both. When ctx ends or [TextToSpeech.Close] is called, the command's process group is killed.
func NewTextToSpeech(ctx context.Context, p subprocess.Program, out io.Writer) *TextToSpeech {
	s := &TextToSpeech{program: p, out: chatWriter{out: out}}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// Close finishes the queue until ctx ends, then stops. When it returns, the command has ended.
func (s *TextToSpeech) Close(ctx context.Context) {
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
	s.cancel(errRunOver)
	if idle != nil {
		<-idle
	}
}

// A speechJob is a text to speak, with voice and style.
type speechJob struct{ text, voice, style string }

// say is say(utterance, voiceId, style) (M4): it queues the text and returns.
func (s *TextToSpeech) say(_ context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decodeStrict[struct {
		Utterance string `json:"utterance"`
		VoiceID   string `json:"voiceId"`
		Style     string `json:"style"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	u := speechJob{args.Utterance, args.VoiceID, args.Style}
	if why := u.problem(); why != "" {
		return chat.Failure(chat.InvalidArguments, "%s", why), nil
	}
	switch {
	case s == nil:
		return chat.Failure(chat.Failed, "this run has no text-to-speech"), nil
	case !s.program.IsNamed() && s.out.out == nil:
		return hiddenResult(), nil
	case !s.program.IsNamed():
		if err := s.out.show("say: ", u.text); err != nil {
			return chat.Result{}, err
		}
		return spokenResult(false), nil
	case s.program.Err != nil:
		return chat.Failure(chat.Unavailable, "cannot run the text-to-speech command: %v", s.program.Err), nil
	}
	if refused := s.enqueue(u); refused != nil {
		return *refused, nil
	}
	return spokenResult(true), nil
}

// spokenResult is the result of a call whose text is spoken, or else shown.
func spokenResult(yes bool) chat.Result {
	return chat.Success(struct {
		Spoken bool `json:"spoken"`
		Shown  bool `json:"shown"`
	}{yes, !yes})
}

// problem returns the fault of a job, or "".
func (u speechJob) problem() string {
	switch {
	case strings.TrimSpace(u.text) == "":
		return "utterance is blank"
	case utf8.RuneCountInString(u.text) > maxSpeechChars:
		return fmt.Sprintf("utterance is longer than %d characters", maxSpeechChars)
	case isBadVoiceName(u.voice):
		return "voiceId must be the name of a voice"
	case isBadVoiceName(u.style):
		return "style must be the name of a style"
	}
	return ""
}

// isBadVoiceName reports an invalid voice or style name. No word of it may look like an option: the command may be a
// script that lacks quotes.
func isBadVoiceName(name string) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return utf8.RuneCountInString(name) > maxVoiceChars || strings.ContainsFunc(name, unprintable) || strings.Contains(" "+name, " -")
}

// enqueue appends a job, or returns the result of a refusal.
func (s *TextToSpeech) enqueue(u speechJob) *chat.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.ctx.Err() != nil {
		over := chat.Failure(chat.Unavailable, "%v", errRunOver)
		return &over
	}
	bytes := len(u.text)
	for _, waiting := range s.queue {
		bytes += len(waiting.text)
	}
	if len(s.queue) == maxQueue || len(s.queue) > 0 && bytes > maxQueueBytes {
		full := chat.Failure(chat.RateLimited, "%d utterances are already waiting", len(s.queue))
		return &full
	}
	s.queue = append(s.queue, u)
	if s.idle == nil {
		s.idle = make(chan struct{})
		go s.run()
	}
	return nil
}

// run speaks jobs until the queue is empty.
func (s *TextToSpeech) run() {
	for {
		u, ok := s.dequeue()
		if !ok {
			return
		}
		if err := s.speak(u); err != nil && s.out.out != nil {
			_ = s.out.show(fmt.Sprintf("say (not spoken: %v): ", err), u.text) // the call has already returned
		}
	}
}

// dequeue removes the first job. It reports false and ends the run if the queue is empty.
func (s *TextToSpeech) dequeue() (speechJob, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		close(s.idle)
		s.idle = nil
		return speechJob{}, false
	}
	u := s.queue[0]
	s.queue = s.queue[1:]
	return u, true
}

// speak speaks one job, or returns why it was not completed.
func (s *TextToSpeech) speak(u speechJob) error {
	ctx, cancel := context.WithTimeoutCause(s.ctx, u.timeLimit(), fmt.Errorf("it took longer than %v", u.timeLimit()))
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

// timeLimit is the time limit of a job.
func (u speechJob) timeLimit() time.Duration {
	return startAllowance + time.Duration(len(u.text))*byteAllowance
}

// stdin is the input of the command: the text as lines, without control characters that mean nothing in speech.
func (u speechJob) stdin() string {
	clean := func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return ' '
		}
		return r
	}
	return strings.TrimSuffix(strings.Map(clean, u.text), "\n") + "\n"
}

// environment returns variables for voice and style, if set.
func (u speechJob) environment() []string {
	var env []string
	if u.voice != "" {
		env = append(env, "ONESHOT_VOICE="+u.voice)
	}
	if u.style != "" {
		env = append(env, "ONESHOT_STYLE="+u.style)
	}
	return env
}
