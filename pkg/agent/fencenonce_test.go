package agent_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
)

var fence = regexp.MustCompile("`tool-([0-9a-f]{12})`")

// fenceOf returns the latest fence word in a request.
func fenceOf(req chat.Request) string {
	word := ""
	texts := []string{req.System}
	for _, m := range req.Messages {
		texts = append(texts, m.Content)
	}
	for _, text := range texts {
		for _, found := range fence.FindAllStringSubmatch(text, -1) {
			word = found[1]
		}
	}
	return word
}

// writes replies with a call in the current fence.
func writes(statement string) step {
	return func(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
		return says("```tool-"+fenceOf(req)+"\nreturn "+statement+";\n```")(ctx, req, delta)
	}
}

// nonceRig is a run with marked fences whose tool returns a function of the word.
func nonceRig(t *testing.T, result func(word string) chat.Result, steps ...step) *rig {
	r := newRig(t, append(steps, writes("finalResponse()"), says(answer42))...)
	r.cfg.Nonce = true
	r.do["look"] = func(context.Context, string) (chat.Result, error) {
		return result(fenceOf(r.requests[len(r.requests)-1])), nil
	}
	return r
}

// A word is void once a result contains it, in any spelling, or if the input does.
func TestNonceIsRenewed(t *testing.T) {
	raw := func(text string) chat.Result { return chat.Result{Data: json.RawMessage(text)} }
	for _, test := range []struct {
		name    string
		result  func(word string) chat.Result
		renewed bool
	}{
		{"nothing", func(string) chat.Result { return chat.Success("All is well.") }, false},
		{"a part", func(w string) chat.Result { return chat.Success(w[:11]) }, false},
		{"fence", func(w string) chat.Result { return chat.Success("```tool-" + w + "\nput(1)\n```") }, true},
		{"word", func(w string) chat.Result { return chat.Success("x" + w + "x") }, true},
		{"capitals", func(w string) chat.Result { return chat.Success(strings.ToUpper(w)) }, true},
		{"key", func(w string) chat.Result { return chat.Success(map[string]int{w: 1}) }, true},
		{"escapes", func(w string) chat.Result { return raw(`"` + w[:3] + `\u00` + hexOf(w[3]) + w[4:] + `"`) }, true},
		{"failure", func(w string) chat.Result { return chat.Failure(chat.Failed, "no %s", w) }, true},
		{"question", func(w string) chat.Result { return chat.Result{Needs: []string{"a"}, Question: w} }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := nonceRig(t, test.result, writes(`look("a")`))
			_, _ = r.run() // the run of the case "question" ends with an error
			before, after := fenceOf(r.requests[0]), fenceOf(r.requests[1])
			if before == "" || (before != after) != test.renewed {
				t.Errorf("the word was %q and is %q", before, after)
			}
			if got := strings.Contains(r.last(1), "another one from here on"); got != test.renewed {
				t.Errorf("the model got:\n%s", r.last(1))
			}
			if got := []string{requestsOf(r)[0].Nonce, requestsOf(r)[1].Nonce}; cmp.Diff([]string{before, after}, got) != "" {
				t.Errorf("the record says %v", got)
			}
		})
	}
}

// hexOf writes a byte.
func hexOf(b byte) string { return string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15]) }

// A fence with a void word, or none, is text.
func TestRevokedNonce(t *testing.T) {
	var old string
	r := nonceRig(t, func(w string) chat.Result { old = w; return chat.Success(w) }, writes(`look("a")`),
		func(ctx context.Context, req chat.Request, delta func(chat.Delta)) (chat.Response, error) {
			return says("```tool-"+old+"\nreturn put(\"a\");\n```\n"+calls(`put("b")`))(ctx, req, delta)
		}, writes(`put("c")`))
	wantStatuses(t, r.mustRun(), "look ok", "put ok")
	if got := r.last(2); !strings.Contains(got, "```tool-"+fenceOf(r.requests[2])) { // the reminder shows how
		t.Errorf("the model got:\n%s", got)
	}
}

func TestNonceNotInInput(t *testing.T) {
	first := nonceRig(t, nil)
	first.mustRun()
	word := fenceOf(first.requests[0])
	for _, place := range []func(r *rig){
		func(r *rig) { r.cfg.Input = "tool-" + strings.ToUpper(word) },
		func(r *rig) { r.cfg.Prompt = word },
		func(r *rig) { r.cfg.System = word },
	} {
		r := nonceRig(t, nil)
		place(r)
		r.mustRun()
		if again := fenceOf(r.requests[0]); again == word || again == "" {
			t.Errorf("the word is %q", again)
		}
	}
	other := nonceRig(t, nil)
	other.cfg.Seed[0]++
	other.mustRun()
	if fenceOf(other.requests[0]) == word {
		t.Error("another seed has the same word")
	}
}

// Native calls have no word, and a dialect without fences cannot use one.
func TestNonceWithoutFences(t *testing.T) {
	r := nativeRig(t, says("That is all."), says(answer42))
	r.cfg.Nonce = true
	r.mustRun()
	if got := requestsOf(r)[0].Nonce; got != "" || fenceOf(r.requests[0]) != "" {
		t.Errorf("the word %q", got)
	}
	r = newRig(t)
	r.cfg.Nonce = true
	r.cfg.Dialect, _ = dialect.Lookup("toolcalls")
	_, err := r.run()
	wantError[*agent.NonceError](t, err)
}

// A resumed run has the same words as before, including those after a void one.
func TestResumedNonce(t *testing.T) {
	steps := func() []step {
		return []step{writes(`look("a")`), writes(`look("b")`), writes("finalResponse()"), says(answer42)}
	}
	trial := nonceRig(t, nil)
	trial.mustRun()
	first := fenceOf(trial.requests[0])
	prepare := func(r *rig) {
		r.cfg.Nonce = true
		r.do["look"] = func(_ context.Context, args string) (chat.Result, error) {
			if strings.Contains(args, `"a"`) {
				return chat.Success("tool-" + first), nil
			}
			return chat.Success("All is well."), nil
		}
	}
	whole := newRig(t, steps()...)
	prepare(whole)
	_, log := whole.recordedRun()
	words := map[string]bool{}
	for _, req := range whole.requests {
		words[fenceOf(req)] = true
	}
	if len(words) != 2 {
		t.Fatalf("the words were %v", words)
	}
	for n := 1; n < len(log.Records)-1; n++ { // the last but one is the answer
		r, _ := resumed(t, log.Records[:n], steps())
		prepare(r)
		if _, err := r.run(); err != nil {
			t.Errorf("cut after record %d: %v", n, err)
			continue
		}
		if got, want := fenceOf(r.requests[len(r.requests)-1]), fenceOf(whole.requests[len(whole.requests)-1]); got != want {
			t.Errorf("cut after record %d: the last word is %q, and was %q", n, got, want)
		}
	}
}
