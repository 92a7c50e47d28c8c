package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// pinMark separates the name of a file from its digest.
const pinMark = "@sha256:"

// A definitionSource is a value of --tools: a file or folder, and the expected digest of a file.
type definitionSource struct {
	path string
	pin  string // 64 lower-case hexadecimal digits; "" if not pinned
}

// parsePinnedPath splits a value of --tools at its last pin, so that the name of a pinned file may contain one.
func parsePinnedPath(value string) (definitionSource, error) {
	i := strings.LastIndex(value, pinMark)
	if i < 0 {
		return definitionSource{path: filepath.Clean(value)}, nil
	}
	s := definitionSource{filepath.Clean(value[:i]), strings.ToLower(value[i+len(pinMark):])}
	if digest, err := hex.DecodeString(s.pin); err != nil || len(digest) != sha256.Size {
		return s, usagef("compute it with sha256sum "+quote.Shell(s.path), "--tools: %q is not a SHA-256 (64 hexadecimal digits)", value[i+len(pinMark):])
	}
	return s, nil
}

// files returns the files and folders of --tools. Invalid pins are reported when definitions are loaded.
func (o *toolOptions) files() []string {
	var all []string
	for _, value := range o.paths {
		s, _ := parsePinnedPath(value)
		all = append(all, s.path)
	}
	return slices.Clip(all)
}

// load reads the definitions of a source. It parses the same bytes that it compares with the pin.
func (s definitionSource) load(l tool.Loader) ([]*tool.Definition, []diag.Finding, error) {
	if s.pin == "" {
		defs, findings, err := l.Load(disk{}, s.path)
		if err != nil {
			err = &inputError{fmt.Errorf("--tools: %w", err)}
		}
		return defs, findings, err
	}
	if info, err := os.Stat(s.path); err == nil && info.IsDir() {
		return nil, nil, usagef("pin its files", "--tools: %s is a folder and cannot be pinned", s.path)
	}
	src, err := readFlag("--tools", s.path)
	if err != nil {
		return nil, nil, err
	}
	if sum := sha256.Sum256(src); hex.EncodeToString(sum[:]) != s.pin {
		return nil, nil, usagef("review the changes before you pin it again", "--tools: %s has digest sha256:%x, expected sha256:%s", s.path, sum, s.pin)
	}
	defs, findings := l.Parse(s.path, src)
	return defs, findings, nil
}
