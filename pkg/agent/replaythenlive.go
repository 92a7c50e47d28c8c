package agent

import (
	"context"
	"errors"
	"fmt"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
)

// A resumedModel replies from the record and, after its end, from the live model.
type resumedModel struct {
	recorded *provider.Replay
	live     Model
}

// Reply answers from the record as long as it has responses.
func (m *resumedModel) Reply(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	if m.recorded.IsOver() {
		return m.live.Reply(ctx, req, delta)
	}
	resp, err := m.recorded.Reply(ctx, req, delta)
	var replay *provider.ReplayError
	if errors.As(err, &replay) {
		err = &DivergedError{Why: fmt.Sprintf("turn %d: %s\n%s", replay.Turn, replay.Why, replay.Diff)}
	}
	return resp, err
}
