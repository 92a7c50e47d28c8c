package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// D12: the record of a long response that broke off has the part that a resumed run parses again,
// up to the last call, plus a head, a tail and a digest. Nothing in the tail is parsed as a call.
func TestResumeAfterLongBrokenResponse(t *testing.T) {
	cut := &provider.BrokenOffError{Err: errors.New("connection reset")}
	call, page := calls(`look("a")`), strings.Repeat("word ", 1<<17)
	for name, said := range map[string]struct {
		text string
		most int // bytes of content
		runs int // calls
	}{
		"no call":       {page, 64 << 10, 0},
		"quoted":        {page + "\n````md\n" + page[:20<<10] + "\n" + call, 64 << 10, 0},
		"call in front": {call + page, 64 << 10, 1},
		"call at last":  {page + "\n" + call + page, len(page) + 64<<10, 1},
	} {
		t.Run(name, func(t *testing.T) {
			steps := func() []step { return append([]step{breaksInPieces(said.text, cut)}, ending()...) }
			_, log := newRig(t, steps()...).recordedRun()
			got := countOf[runfile.Call](log.Records)
			response := log.Records[firstOf[runfile.Response](log.Records)].Body.(runfile.Response)
			if got < said.runs || len(response.Content) > said.most || response.Bytes != len(said.text) || len(response.Tail) > 32<<10 || response.Digest == "" {
				t.Errorf("%d calls, %d bytes of content and %d of the tail of %d, digest %q", got, len(response.Content), len(response.Tail), response.Bytes, response.Digest)
			}
			past, err := agent.ResumeHistory(&runfile.Log{Records: log.Records[:len(log.Records)-2]})
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, steps()[countOf[runfile.Request](past):]...)
			r.cfg.History = past
			r.mustRun()
		})
	}
}

// breaksInPieces replies with a text in deltas of 1 KiB, and then an error.
func breaksInPieces(text string, err error) step {
	return func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		for piece := range slices.Chunk([]byte(text), 1<<10) {
			delta(chat.Delta{Content: string(piece)})
		}
		return chat.Response{Content: text}, err
	}
}

func firstOf[T runfile.Body](records []runfile.Record) int {
	for i, r := range records {
		if _, ok := r.Body.(T); ok {
			return i
		}
	}
	return -1
}
