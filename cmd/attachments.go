package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/runfile"
)

// maxAttachments is the size of all attachments of a run, in bytes.
const maxAttachments = 20 << 20

// attachmentsBlock is the input block that lists the attachments: a model sees images without their names.
const attachmentsBlock = "attachments"

// checkDuplicateAttachments refuses an attachment that is given twice.
func checkDuplicateAttachments(paths []string) error {
	var given inputBlocks
	given.files = map[string]bool{}
	for i, path := range paths {
		if slices.ContainsFunc(paths[:i], func(other string) bool { return inputName(other) == inputName(path) }) || given.checkDuplicateFile(path) != nil {
			return usagef("give each file once", "--attach: %q is given twice", inputName(path))
		}
	}
	return nil
}

// readAttachments reads the files of --attach and lists them in the input.
func (o *promptOptions) readAttachments(ctx context.Context, env Env, to *promptTexts) error {
	left, lines := maxAttachments, "["+attachmentsBlock+"]"
	for _, path := range o.attach {
		data, err := interruptible(ctx, path, func() ([]byte, error) { return readAttachment(env, path, left) })
		if err != nil {
			return fmt.Errorf("--attach: %w", err)
		}
		if left -= len(data); left < 0 {
			return &inputError{fmt.Errorf("--attach: the attachments are larger than %d MiB together", maxAttachments>>20)}
		}
		a, ok := chat.NewAttachment(inputName(path), data)
		if !ok {
			return &hintedError{&inputError{fmt.Errorf("--attach: %s is not a PNG, JPEG, GIF or WebP image or a PDF document", displayName(path))},
				"use --input for a text file"}
		}
		to.attachments = append(to.attachments, a)
		lines += fmt.Sprintf("\n%s (%s, %d bytes)", a.Name, a.Type, a.Bytes)
	}
	switch {
	case len(to.attachments) == 0:
		return nil
	case slices.ContainsFunc(to.sources, func(s runfile.InputSource) bool { return s.Name == attachmentsBlock }):
		return usagef("rename the file", "--input: %q is the name of the list of attachments", attachmentsBlock)
	case to.input != "":
		to.input += "\n\n"
	}
	to.input += lines
	return nil
}

// readAttachment reads a file, or stdin for "-". It reads at most one byte more than the limit.
func readAttachment(env Env, path string, limit int) ([]byte, error) {
	var src io.ReadCloser = io.NopCloser(env.Stdin)
	if path != "-" {
		f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		src = f
	}
	defer src.Close()
	return readAtMost(src, path, int64(limit)+1)
}

// checkAttachments refuses images if a model cannot read them.
func (m *chosenModels) checkAttachments(attachments []chat.Attachment) error {
	blind := slices.IndexFunc(m.probed, func(c probed) bool { return c.isBlind })
	if blind < 0 || !slices.ContainsFunc(attachments, chat.Attachment.IsImage) {
		return nil
	}
	return usagef("use a model with the capability vision (see ollama show NAME)",
		"--attach: model %s does not read images", m.endpoints[blind].name)
}

// checkAttachmentSecrets refuses attachments with a secret, which cannot be masked.
func checkAttachmentSecrets(t *console, attachments []chat.Attachment) error {
	for _, a := range attachments {
		for _, text := range []string{string(a.Data), wire.Base64(a)} {
			if t.secrets.Hide(text) != text {
				return usagef("remove it from the file", "--attach: %s contains a secret", a.Name)
			}
		}
	}
	return nil
}

// recordedAttachments returns the attachments of the record that has the prompt.
func (r *recordedRun) recordedAttachments() ([]chat.Attachment, error) {
	var log *runfile.Log
	if r.resumed != nil {
		log = r.resumed.log
	} else {
		log = r.replay.log
	}
	all, err := agent.RecordedAttachments(log)
	if err != nil {
		return nil, &inputError{err}
	}
	return all, nil
}

// hintOfAttachment returns the hint for an attachment that an API cannot take.
func hintOfAttachment(refused *provider.AttachmentError) string {
	if refused.Type == chat.PDF {
		return "use a model of anthropic or openai, or convert it, for example with pdftotext"
	}
	return "use a model that reads images"
}

// elideAttachments replaces the data of attachments in a request for display.
func elideAttachments(body []byte, attachments []chat.Attachment) []byte {
	for _, a := range attachments {
		shown := fmt.Sprintf("(%d bytes, sha256:%s)", a.Bytes, a.SHA256)
		body = bytes.ReplaceAll(body, []byte(wire.Base64(a)), []byte(shown))
	}
	return body
}

// describeAttachments returns a line for each attachment.
func describeAttachments(all []chat.Attachment) string {
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "attachment %s: %s, %d bytes\n", a.Name, a.Type, a.Bytes)
	}
	return b.String()
}
