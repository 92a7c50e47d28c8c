package cmd

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

const (
	secretWord   = "very-secret-token"
	secretNumber = 493817265501
)

// Masking changes only the secret in a body, for each kind of body.
func TestHideBody(t *testing.T) {
	s := new(redact.Set)
	s.Add(secretWord)
	s.Add(strconv.Itoa(secretNumber))
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for _, make := range []func(word string) runfile.Body{
		func(w string) runfile.Body {
			return runfile.Run{ID: "i", Seed: "00", Now: at, Zone: "UTC", Prompt: "a " + w, Params: map[string]json.RawMessage{"n": json.RawMessage("1.50")}}
		},
		func(w string) runfile.Body {
			return runfile.Request{Turn: 1, System: w, Messages: []chat.Message{{Role: chat.User, Content: "x" + w}}, Digest: "d"}
		},
		func(w string) runfile.Body {
			return runfile.Response{Turn: 1, Content: w, Calls: []chat.Call{{ID: "c", Name: "f", Arguments: json.RawMessage(`{"a":"` + w + `"}`)}},
				Native: &chat.Native{API: "chat", Body: json.RawMessage(`{"content":"` + w + `"}`)}, Stop: chat.StopEnd}
		},
		func(w string) runfile.Body {
			return runfile.Attempt{Turn: 1, Attempt: chat.Attempt{Number: 1, Error: w, Wait: time.Second}}
		},
		func(w string) runfile.Body {
			return runfile.Result{Call: "c", Result: chat.Success(map[string]string{"k": w}), Duration: time.Second}
		},
		func(w string) runfile.Body {
			return runfile.Result{Call: "c", Result: chat.Failure(chat.Failed, "no %s", w), Duration: time.Second}
		},
		func(w string) runfile.Body {
			return runfile.Call{ID: "c", Name: "f", Proposed: numberOr(w), Effective: numberOr(w), Verdict: "deny"}
		},
		func(w string) runfile.Body { return runfile.Approval{Call: "c", Modified: numberOr(w)} },
		func(w string) runfile.Body { return runfile.Answer{JSON: numberOr(w)} },
		func(w string) runfile.Body { return runfile.Result{Call: "c", Result: chat.Success(numberOr(w))} },
		func(w string) runfile.Body {
			return runfile.Response{Turn: 1, Calls: []chat.Call{{ID: "c", Name: "f", Arguments: numberOr(w)}}, Native: &chat.Native{Body: numberOr(w)},
				Usage: chat.Usage{InputTokens: secretNumber}}
		},
		func(w string) runfile.Body {
			return runfile.Request{Messages: []chat.Message{{Role: chat.Assistant, Calls: []chat.Call{{ID: "c", Arguments: numberOr(w)}}}}}
		},
		func(w string) runfile.Body { return runfile.End{Exit: 4, Name: "auth", Why: w} },
	} {
		got, err := maskBody(s, make(secretWord))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(recorded(t, make(redact.Mask)), recorded(t, got)); diff != "" {
			t.Errorf("%T (-want +got):\n%s", got, diff)
		}
		if untouched, err := maskBody(s, make("word")); err != nil || recorded(t, untouched) != recorded(t, make("word")) {
			t.Errorf("%T without a secret: %v, %v", got, untouched, err)
		}
	}
}

// numberOr returns data with the secret number if word is the secret word, and otherwise with the word itself.
func numberOr(word string) json.RawMessage {
	if word == secretWord {
		return json.RawMessage(`{"n":` + strconv.Itoa(secretNumber) + `}`)
	}
	return json.RawMessage(`{"n":"` + word + `"}`)
}

func recorded(t *testing.T, body runfile.Body) string {
	t.Helper()
	doc, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func TestMaskUserInfo(t *testing.T) {
	for address, want := range map[string]string{
		"http://h/p":           "http://h/p",
		"ftp://u:p@h":          "ftp://***@h",
		"ftp://u:p/w@x@h:port": "ftp://***@h:port",
		"u:p@h":                "***@h",
		"":                     "",
	} {
		if got := maskUserInfo(address); got != want {
			t.Errorf("maskUserInfo(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestMaskAddress(t *testing.T) {
	for value, want := range map[string]string{
		"openai=https://me:pw@h/v1": "openai=https://***@h/v1",
		"openai=me:pw@h":            "openai=***@h",
		"http://key@h":              "http://***@h",
		"socks5://me:pw@h:1080":     "socks5://***@h:1080",
		"http://me:p/w@h":           "http://***@h",
		"https://h/v1/@me":          "https://h/v1/@me",
		"openai=https://h/v1":       "openai=https://h/v1",
	} {
		if got := maskAddress(value); got != want {
			t.Errorf("maskAddress(%q) = %q, want %q", value, got, want)
		}
	}
}

// Anything that looks like a key is masked in the messages for people in a record, but not in the conversation.
func TestHideBodyKeys(t *testing.T) {
	key := "AKIA" + "A1B2C3D4A1B2C3D4"
	for _, make := range []func(said, told string) runfile.Body{
		func(w, _ string) runfile.Body {
			return runfile.Attempt{Turn: 1, Attempt: chat.Attempt{Number: 1, Error: "no " + w}}
		},
		func(w, k string) runfile.Body { return runfile.Response{Turn: 1, Content: k, BrokenOff: "no " + w} },
		func(w, _ string) runfile.Body { return runfile.End{Exit: 4, Why: "no " + w} },
		func(_, k string) runfile.Body { return runfile.Result{Call: "c", Result: chat.Success(k)} },
	} {
		got, err := maskBody(new(redact.Set), make(key, key))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(recorded(t, make(redact.Mask, key)), recorded(t, got)); diff != "" {
			t.Errorf("%T (-want +got):\n%s", got, diff)
		}
	}
}
