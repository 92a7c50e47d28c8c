//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"oneshot/pkg/runfile"
)

// A check checks the outcome of a run with the expected exit code.
type check = func(*Trial, Outcome) error

// allChecks runs all checks and reports every error.
func allChecks(checks ...check) check {
	return func(t *Trial, o Outcome) error {
		var faults []error
		for _, c := range checks {
			faults = append(faults, c(t, o))
		}
		return errors.Join(faults...)
	}
}

// checkAnswer checks that stdout is this JSON value.
func checkAnswer(want string) check {
	return func(_ *Trial, o Outcome) error {
		var got, wanted any
		if err := errors.Join(json.Unmarshal([]byte(o.Stdout), &got), json.Unmarshal([]byte(want), &wanted)); err != nil {
			return err
		}
		if !reflect.DeepEqual(got, wanted) {
			return fmt.Errorf("answer %s, want %s", strings.TrimSpace(o.Stdout), want)
		}
		return nil
	}
}

// checkStdout checks that stdout contains every text.
func checkStdout(texts ...string) check {
	return func(_ *Trial, o Outcome) error { return checkTexts("stdout", o.Stdout, texts) }
}

// checkStderr checks that stderr contains every text.
func checkStderr(texts ...string) check {
	return func(_ *Trial, o Outcome) error { return checkTexts("stderr", o.Stderr, texts) }
}

func checkTexts(where, text string, wanted []string) error {
	var faults []error
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			faults = append(faults, fmt.Errorf("%s does not say %q", where, want))
		}
	}
	return errors.Join(faults...)
}

// checkChatCount checks the number of chat requests that the server has seen. The server
// logs a request at its end, which may be after the run, so the number has to stay the same for a while.
func checkChatCount(want int) check {
	return func(t *Trial, _ Outcome) error {
		got, since := 0, time.Now()
		err := awaitCondition(t.Context, 10*time.Second, "the server's log", func() (bool, error) {
			all, err := t.Server.Chats()
			if all-t.chats != got {
				got, since = all-t.chats, time.Now()
			}
			return got >= want && time.Since(since) > quiet, err
		})
		if got != want {
			return fmt.Errorf("the server saw %d chat requests, want %d", got, want)
		}
		return err
	}
}

// runFile is the run file of recorded cases.
const runFile = "{dir}/run.jsonl"

// A record is one line of a run file, with the members that the cases need.
type record struct {
	Kind    string `json:"kind"`
	Content string `json:"content"`
}

// records returns the records of {dir}/run.jsonl of one kind, and their lines.
func (t *Trial) records(kind string) (lines []string, found []record, err error) {
	text, err := os.ReadFile(t.expand([]string{runFile})[0])
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(text)) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, nil, fmt.Errorf("run file: %w: %s", err, line)
		}
		if r.Kind == kind {
			lines, found = append(lines, line), append(found, r)
		}
	}
	return lines, found, nil
}

// checkRecords checks that the run file has that many records of a kind, and each text in
// some of them.
func checkRecords(kind string, want int, texts ...string) check {
	return func(t *Trial, _ Outcome) error {
		lines, _, err := t.records(kind)
		if err != nil {
			return err
		}
		if len(lines) != want {
			return fmt.Errorf("the run file has %d records of kind %s, want %d", len(lines), kind, want)
		}
		// A request refers to texts that earlier records hold.
		whole, err := t.recordText(kind)
		return errors.Join(err, checkTexts("the run file's "+kind, whole, texts))
	}
}

// recordText returns the records of a kind with the texts to which they refer.
func (t *Trial) recordText(kind string) (string, error) {
	f, err := os.Open(t.expand([]string{runFile})[0])
	if err != nil {
		return "", err
	}
	defer f.Close()
	log, err := runfile.Read(f)
	var text strings.Builder
	for _, r := range log.Records {
		if string(r.Kind) == kind {
			line, err := json.Marshal(r.Body)
			if err != nil {
				return "", err
			}
			text.Write(line)
		}
	}
	return text.String(), err
}

// checkAbsent checks that none of the texts is in stdout, stderr or the run file.
func checkAbsent(texts ...string) check {
	return func(t *Trial, o Outcome) error {
		recorded, err := os.ReadFile(t.expand([]string{runFile})[0])
		if err != nil {
			return err
		}
		for _, text := range texts {
			if strings.Contains(o.Stdout+o.Stderr+string(recorded), text) {
				return fmt.Errorf("%q got out", text)
			}
		}
		return nil
	}
}

// checkFile checks the content of a file in {dir}.
func checkFile(name, want string) check {
	return func(t *Trial, _ Outcome) error {
		got, err := os.ReadFile(filepath.Join(t.Dir, name))
		if err != nil {
			return err
		}
		if string(got) != want {
			return fmt.Errorf("%s holds %q, want %q", name, got, want)
		}
		return nil
	}
}

// checkNoFile checks that a file in {dir} does not exist.
func checkNoFile(name string) check {
	return func(t *Trial, _ Outcome) error {
		if _, err := os.Lstat(filepath.Join(t.Dir, name)); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s exists, or cannot be asked for: %v", name, err)
		}
		return nil
	}
}

// checkCommand checks that another command of the program succeeds.
func checkCommand(args ...string) check {
	return func(t *Trial, _ Outcome) error {
		o, err := t.RunOneshot(args...)
		if err != nil {
			return err
		}
		if o.Exit != exitOK {
			return fmt.Errorf("oneshot %s: exit %d: %s%s", strings.Join(args, " "), o.Exit, o.Stdout, o.Stderr)
		}
		return nil
	}
}
