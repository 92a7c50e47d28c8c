package main

import (
	"fmt"
	"strings"
)

// A Reply is one text that the model can generate.
type Reply struct {
	Name string // NAME.TURN, such as "repair.2": the reply in turn 2 of the script "repair"
	Text string
	Loop bool // the text is repeated without end
}

// missing is the name of the reply to every prompt without a scripted one.
const missing = "missing"

// A ReplyError reports an invalid line of a replies file.
type ReplyError struct {
	Line int // from 1
	Why  string
}

func (e *ReplyError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// ParseReplies reads a txtar archive with one reply a file. The file's name is
// the reply's, followed by "loop" for a text without end. The line break at the
// end of a file is not part of its reply. Text before the first file is a comment.
func ParseReplies(src string) ([]Reply, error) {
	var replies []Reply
	seen := map[string]bool{}
	for i, line := range strings.SplitAfter(src, "\n") {
		header, isHeader := fileHeader(line)
		switch {
		case isHeader:
			reply, err := newReply(header)
			if err == nil && seen[reply.Name] {
				err = fmt.Errorf("reply %q is there twice", reply.Name)
			}
			if err != nil {
				return nil, &ReplyError{i + 1, err.Error()}
			}
			seen[reply.Name] = true
			replies = append(replies, reply)
		case len(replies) > 0:
			replies[len(replies)-1].Text += line
		}
	}
	for i := range replies {
		replies[i].Text = strings.TrimSuffix(replies[i].Text, "\n")
	}
	if !seen[missing] {
		return nil, fmt.Errorf("no reply is called %q: it is what the model says when nothing is scripted", missing)
	}
	return replies, nil
}

// fileHeader returns the text between the dashes of "-- name --".
func fileHeader(line string) (string, bool) {
	line = strings.TrimRight(line, "\r\n ")
	inner, ok := strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(inner, " --")
}

func newReply(header string) (Reply, error) {
	name, option, _ := strings.Cut(strings.TrimSpace(header), " ")
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
		return Reply{}, fmt.Errorf("reply name %q: only lower-case letters, digits, dash and dot can be found by the template", name)
	}
	switch strings.TrimSpace(option) {
	case "":
		return Reply{Name: name}, nil
	case "loop":
		return Reply{Name: name, Loop: true}, nil
	}
	return Reply{}, fmt.Errorf("reply %s: unknown option %q, the only one is \"loop\"", name, option)
}
