package prompt_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/prompt"
)

// cutResult is a truncated result.
type cutResult struct {
	OK        bool
	Data      struct{ Head, Tail string }
	Truncated struct {
		Bytes   int
		LeftOut int `json:"left_out"`
	}
}

// A large result is truncated to head and tail, as an envelope within the limit. The omitted size in it is plausible,
// no character and no escape is split, and no marker is left.
func TestResultsAreCut(t *testing.T) {
	pieces := append([]string{"a", "é", "👍", "\n", "\"", `\`, "\u2028", "\x00", "</b>", `\u00`, `\ud83d`}, dialect.Markers()[:20]...)
	rapid.Check(t, func(t *rapid.T) {
		unit := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, "pieces"), "")
		text := strings.Repeat(unit, rapid.IntRange(1, 4000).Draw(t, "times"))
		most := rapid.Int64Range(1<<10, 1<<14).Draw(t, "most")
		var data any = text
		if rapid.Bool().Draw(t, "nested") {
			data = []any{map[string]string{"content": text}}
		}
		envelope, _ := chat.Success(data).MarshalJSON()
		got := prompt.Result(envelope, mark, most)
		wantInert(t, got, 0)
		if got != prompt.Result(envelope, mark, most) {
			t.Error("it is not the same each time")
		}
		whole := prompt.Result(envelope, mark, 0)
		if int64(len(whole)) <= most {
			if got != whole {
				t.Error("a small result was changed")
			}
			return
		}
		var cut cutResult
		if err := json.Unmarshal([]byte(got), &cut); err != nil || !utf8.ValidString(got) || int64(len(got)) > most {
			t.Fatalf("%d bytes of at most %d (%v):\n%s", len(got), most, err, got)
		}
		if !cut.OK || cut.Truncated.LeftOut <= 0 || cut.Truncated.LeftOut > cut.Truncated.Bytes || len(got) < int(most)/4 {
			t.Errorf("%d bytes of %d: %.300s", len(got), most, got)
		}
		if data == any(text) && (!strings.HasPrefix(text, cut.Data.Head) || !strings.HasSuffix(text, cut.Data.Tail) || cut.Data.Head == "") {
			t.Errorf("head %.40q and tail %.40q are not those of the text", cut.Data.Head, cut.Data.Tail)
		}
	})
}

// A truncated failure keeps its code, and a truncated question keeps the values that it asks for.
func TestOtherResultsAreCut(t *testing.T) {
	long := strings.Repeat("too long ", 9000)
	for _, r := range []chat.Result{chat.Failure(chat.NotFound, "%s", long), {Needs: []string{"city"}, Question: long}} {
		envelope, _ := r.MarshalJSON()
		got := prompt.Result(envelope, mark, 2048)
		var back struct {
			OK    bool
			Needs map[string]bool
			Error *struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(got), &back); err != nil || back.OK || len(got) > 2048 || !strings.Contains(got, "too long") {
			t.Errorf("%v: %s", err, got)
		}
		if (back.Error == nil || back.Error.Code != "NOT_FOUND") && !back.Needs["city"] {
			t.Errorf("it is another result: %s", got)
		}
	}
}
