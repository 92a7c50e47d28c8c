package cmd

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"

	"oneshot/pkg/agent"
)

// askTerminal asks the user at the terminal for missing information. An empty line is no answer.
func (t *console) askTerminal(ctx context.Context, n agent.Needs) (values map[string]string, ok bool) {
	tty, err := openTerminal()
	if err != nil {
		return nil, false
	}
	defer tty.Close()
	defer t.live.suspend()()
	defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) })()
	out, in := redactingWriter{tty, t.secrets}, bufio.NewReader(tty)
	fmt.Fprintf(out, "\noneshot: the run asks:\n")
	for line := range strings.Lines(n.Question) {
		fmt.Fprintf(out, "  %s\n", onOneLine(line))
	}
	values = map[string]string{}
	for _, field := range n.Fields {
		fmt.Fprintf(out, "%s (empty: no answer): ", onOneLine(field))
		line, err := in.ReadString('\n')
		if line = strings.TrimSpace(line); err != nil || line == "" {
			return nil, false
		}
		values[field] = t.secrets.Hide(line)
	}
	return values, ctx.Err() == nil
}
