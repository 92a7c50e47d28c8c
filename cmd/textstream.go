package cmd

import (
	"context"
	"strings"
	"unicode"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
)

// A textStream prints the text of a run as it arrives, for --stream. In a successful run, the text of earlier turns comes
// first, and the output ends with the text that the run would print without --stream.
type textStream struct {
	console    *console
	ctx        context.Context
	answerOnly bool

	masked     *redact.Stream // of the response
	isWanted   bool           // the response is printed
	isShown    bool           // some of it was
	isComplete bool
	isDropped  bool            // if another request follows
	blanks     strings.Builder // at its end, not printed yet
}

func newTextStream(ctx context.Context, t *console, turns string) *textStream {
	return &textStream{console: t, ctx: ctx, answerOnly: turns == streamAnswer}
}

// observe prints the content of a response.
func (s *textStream) observe(e agent.Event) {
	switch e.Kind {
	case agent.EventRequest:
		s.begin(e)
	case agent.EventContent:
		if s.isWanted {
			s.print(s.masked.Write(e.Text))
		}
	case agent.EventRetracted:
		if s.isShown {
			s.warn(e.Turn, "the text printed so far was reasoning")
			s.endLine()
			s.isShown = false
		}
		s.masked = s.console.secrets.Stream() // drops text that it holds back, which is reasoning, too
	case agent.EventReprompt:
		s.isDropped = true
	case agent.EventReply:
		s.isComplete = true
		if s.isWanted {
			s.print(s.masked.Close())
		}
	}
}

// begin begins the response to a request.
func (s *textStream) begin(request agent.Event) {
	switch {
	case s.isShown && !s.isComplete:
		s.warn(request.Turn, "the text printed so far is incomplete; the model begins again")
	case s.isShown && s.isDropped:
		s.warn(request.Turn, "the text printed so far does not count; the model is asked again")
	}
	s.endLine()
	isAnswer := request.Purpose == chat.PurposeAnswer
	s.masked, s.isWanted = s.console.secrets.Stream(), !s.answerOnly || isAnswer
	s.isShown, s.isComplete, s.isDropped = false, false, isAnswer
}

func (s *textStream) warn(turn int, text string) {
	s.console.warn("omit --stream for the answer alone", "turn %d: %s", turn, text)
}

// print prints a piece, without the blanks around the whole text.
func (s *textStream) print(piece string) {
	if !s.isShown {
		piece = strings.TrimLeftFunc(piece, unicode.IsSpace)
	}
	text := strings.TrimRightFunc(piece, unicode.IsSpace)
	if text == "" {
		s.blanks.WriteString(piece)
		return
	}
	s.write(s.blanks.String() + text)
	s.blanks.Reset()
	s.blanks.WriteString(piece[len(text):])
	s.isShown = true
}

// endLine ends the last line of a response.
func (s *textStream) endLine() {
	if s.isShown {
		s.write("\n")
	}
	s.blanks.Reset()
}

func (s *textStream) write(text string) {
	_ = s.console.writeLive(s.ctx, []byte(s.console.forStdout(text))) // it aborts the run
}

// finishAnswer ends the text of a run that ends well. It returns false if the answer was not printed: it is on record, or only
// the end of its response showed that it was the answer.
func (s *textStream) finishAnswer() bool {
	if !s.isShown || !s.isComplete {
		return false
	}
	s.endLine()
	s.isShown = false
	return true
}

// The values of --stream.
const (
	streamAll    = "all"
	streamAnswer = "answer"
)

// checkStream refuses --stream where a text cannot be printed piece by piece.
func (f *resolvedFlags) checkStream() error {
	switch {
	case f.stream == "":
		return nil
	case f.output == "events":
		return usagef("omit --stream", "--stream cannot be combined with --output events: events have the text as it arrives")
	case f.output != "text":
		return usagef("add --output text, or use --output events", "--stream cannot be combined with --output %s: it prints text", f.output)
	case f.schema != "":
		return usagef("omit one of them", "--stream cannot be combined with --schema: the answer is checked as a whole")
	case f.file != "":
		return usagef("omit -o and redirect stdout", "--stream cannot be combined with -o: the file is written as a whole")
	case f.dryRun:
		return usagef("omit --stream", "--stream cannot be combined with --dry-run, which prints a request")
	}
	return nil
}
