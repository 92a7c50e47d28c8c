package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A chatWriter shows messages of the model during the run.
type chatWriter struct {
	mu  sync.Mutex
	out io.Writer // nil if the run shows no messages
}

// hiddenResult is the result of a call in a run that shows no messages.
func hiddenResult() chat.Result { return chat.Failure(chat.Failed, "this run shows no messages") }

// show writes a text with a prefix before each line.
func (t *chatWriter) show(mark, text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := io.WriteString(t.out, mark+strings.ReplaceAll(diag.EscapeInvisible(strings.TrimSuffix(text, "\n")), "\n", "\n"+mark)+"\n"); err != nil {
		return fmt.Errorf("the message was not shown: %w", err)
	}
	return nil
}

// send is send_chat(content): it shows the content immediately and does not end the turn (M4).
func (t *chatWriter) send(_ context.Context, raw json.RawMessage) (chat.Result, error) {
	args, err := decodeStrict[struct {
		Content string `json:"content"`
	}](raw)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	if t.out == nil {
		return hiddenResult(), nil
	}
	if err := t.show("", args.Content); err != nil {
		return chat.Result{}, err
	}
	return chat.Success(map[string]bool{"shown": true}), nil
}
