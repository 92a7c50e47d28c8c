package literal

import (
	"fmt"
	"strings"
	"testing"

	"oneshot/pkg/chat"
)

// A delimitedReading is the result of scanning an object with string delimiters.
type delimitedReading struct {
	Value, Codes string
	Status       chat.Status
	Changed      bool
	State        State
	End          int
	Taken, Left  string
	Steps        int
}

const testDelimiter = `<|"|>`

// readDelimited reads one object in pieces of a given size.
func readDelimited(text string, piece int, o Options) delimitedReading {
	s := NewDelimited(testDelimiter, o)
	i, state := writePieces(s, text, piece)
	return delimitedReading{
		string(s.Value()), codes(s.Findings()), s.Status(), s.ValueChanged(), state, s.End(), s.Unread(), text[i:], s.steps,
	}
}

// withDelimiters writes a text for a test with ~ for each string delimiter.
func withDelimiters(text string) string { return strings.ReplaceAll(text, "~", testDelimiter) }

func TestQuoted(t *testing.T) {
	tests := []struct {
		text, want string
		status     chat.Status
		changed    bool
		codes      string
	}{
		{`{}`, `{}`, chat.StatusOK, false, ""},
		{" \n{ a : ~x~ , b : [ 1 , ~y~ ] }", `{"a":"x","b":[1,"y"]}`, chat.StatusOK, false, ""},
		{`{a:~x~,n:1,b:true,z:null,f:-2.50,o:{k:~y~},l:[~p~,~q~,[]],e:~~}`,
			`{"a":"x","n":1,"b":true,"z":null,"f":-2.50,"o":{"k":"y"},"l":["p","q",[]],"e":""}`, chat.StatusOK, false, ""},
		{"{a:~C:\\new \"x\" 'y' `z`\n{<|\"|} <|, b:1}~}", `{"a":"C:\\new \"x\" 'y' ` + "`z`" + `\n{<|\"|} <|, b:1}"}`, chat.StatusOK, false, ""},
		{`{Content-Type:~x~,a.b:1,@id:2,é:3}`, `{"Content-Type":"x","a.b":1,"@id":2,"é":3}`, chat.StatusOK, false, ""},
		{`{a:~</call>~}`, `{"a":"</call>"}`, chat.StatusOK, false, ""},
		{`{a:~1~,b:~true~}`, `{"a":"1","b":"true"}`, chat.StatusOK, false, ""},
		// quoted and unquoted strings
		{`{a:"x",b:'y',c:` + "`z`" + `}`, `{"a":"x","b":"y","c":"z"}`, chat.StatusRepaired, false, "TC202 TC202 TC202"},
		{`{a:"x \"y\"\n"}`, `{"a":"x \"y\"\n"}`, chat.StatusRepaired, false, "TC202"},
		{`{a:':\s+'}`, `{"a":":\\s+"}`, chat.StatusRepaired, false, "TC202"}, // the same text between delimiters
		{"{a:'x\ny'}", `{"a":"x\ny"}`, chat.StatusRepaired, false, "TC202"},
		{`{a:'\'\s'}`, `{"a":"'\\s"}`, chat.StatusRepaired, true, "TC202 TC205"},
		{`{a:"C:\new\dir"}`, `{"a":"C:\new\\dir"}`, chat.StatusAmbiguous, true, "TC202 TC205"},
		{`{"a":~x~,'b':1,~c~:2}`, `{"a":"x","b":1,"c":2}`, chat.StatusRepaired, false, "TC202 TC202 TC202"},
		{`{a:hello world,b:x}`, `{"a":"hello world","b":"x"}`, chat.StatusRepaired, true, "TC210 TC210"},
		{`{a:2024-01-15,b:1.2.3,c:it's <b>}`, `{"a":"2024-01-15","b":"1.2.3","c":"it's <b>"}`, chat.StatusRepaired, true, "TC210 TC210 TC210"},
		{`{a:x b:1}`, `{"a":"x b:1"}`, chat.StatusAmbiguous, true, "TC210"},
		{`{a:x, y}`, ``, chat.StatusInvalid, true, "TC210"},
		{`{a:f{x}}`, ``, chat.StatusInvalid, false, "TC220"},
		{`{a:True,b:None}`, `{"a":true,"b":null}`, chat.StatusRepaired, false, "TC203 TC203"},
		{`{a:007}`, `{"a":7}`, chat.StatusAmbiguous, false, "TC216"},
		{`{a:0x1F}`, `{"a":31}`, chat.StatusAmbiguous, false, "TC216"},
		{`{a:NaN}`, ``, chat.StatusInvalid, false, "TC213"},
		{`{a:12345678901234567890}`, `{"a":12345678901234567890}`, chat.StatusOK, false, "TC215"},
		// an extra delimiter
		{`{a:':x'~,b:~y~~}`, `{"a":":x","b":"y"}`, chat.StatusRepaired, false, "TC202 TC117 TC117"},
		{`{a:x~,b:1}`, `{"a":"x","b":1}`, chat.StatusRepaired, true, "TC210 TC117"},
		{`{a:1~}`, `{"a":1}`, chat.StatusAmbiguous, false, "TC117"},
		{`{a:~say ~hello~ now~}`, ``, chat.StatusInvalid, false, "TC220"},
		// a missing delimiter
		{`{a:~x,b:~y~}`, `{"a":"x","b":"y"}`, chat.StatusAmbiguous, true, "TC103"},
		{"{a:~x ,\n b : ~ y ~, c:1}", `{"a":"x ","b":" y ","c":1}`, chat.StatusAmbiguous, true, "TC103"},
		{`{a:~x,b:~~}`, `{"a":"x","b":""}`, chat.StatusAmbiguous, true, "TC103"},
		{`{a:[~x,~y~]}`, `{"a":["x","y"]}`, chat.StatusAmbiguous, true, "TC103"},
		{`{a:~x,c:1,b:~y~}`, `{"a":"x,c:1","b":"y"}`, chat.StatusAmbiguous, true, "TC103"},
		{`{a:~x, y,b:~z~}`, `{"a":"x, y","b":"z"}`, chat.StatusAmbiguous, true, "TC103"},
		{`{a:[~x,w,~y~]}`, `{"a":["x,w","y"]}`, chat.StatusAmbiguous, true, "TC103"},
		{`{a:~x,a:~y~}`, ``, chat.StatusInvalid, true, "TC103 TC214"},
		{`{a:~x,b:~,c:~y~}`, `{"a":"x,b:","c":"y"}`, chat.StatusOK, false, ""}, // valid as it is
		// not an object of this kind
		{`{a:~x~,a:1}`, ``, chat.StatusInvalid, false, "TC214"},
		{`{a:~x~,}`, `{"a":"x"}`, chat.StatusRepaired, false, "TC201"},
		{`{a:~x~ b:1}`, ``, chat.StatusInvalid, false, "TC220"},
		{`{a 1}`, ``, chat.StatusInvalid, false, "TC220"},
		{`{a~x~}`, ``, chat.StatusInvalid, false, "TC220"},
		{`{a:[1}`, ``, chat.StatusInvalid, false, "TC211"},
		{`{a:,b:1}`, ``, chat.StatusInvalid, false, "TC220"},
		{`x{}`, ``, chat.StatusInvalid, false, "TC220"},
		{"{a:~\xff~}", ``, chat.StatusInvalid, false, "TC001"},
		{"{a:\xff}", ``, chat.StatusInvalid, false, "TC001"},
		{"{\xff:1}", ``, chat.StatusInvalid, false, "TC001"},
		{strings.Repeat("{a:", MaxDepth+1) + strings.Repeat("}", MaxDepth+1), ``, chat.StatusInvalid, false, "TC218"},
		// truncated
		{`{a:~x`, ``, chat.StatusTruncated, false, "TC404"},
		{`{a:~x}`, ``, chat.StatusTruncated, false, "TC404"},
		{`{a:~x~`, ``, chat.StatusTruncated, false, "TC404"},
		{`{a:x`, ``, chat.StatusTruncated, false, "TC404"},
		{`{a`, ``, chat.StatusTruncated, false, "TC404"},
		{``, ``, chat.StatusTruncated, false, "TC404"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.60s", test.text), func(t *testing.T) {
			r := readDelimited(withDelimiters(test.text), 1<<20, Options{})
			if r.Value != test.want || r.Status != test.status || r.Changed != test.changed || r.Codes != test.codes {
				t.Errorf("got %s, %s, changed: %t, %q", r.Value, r.Status, r.Changed, r.Codes)
			}
		})
	}
}

// If the closing delimiter of the last string is missing, the object ends before the next stop,
// and the text read after it is returned as unread.
func TestQuotedUnshut(t *testing.T) {
	tests := []struct {
		text, want string
		status     chat.Status
		taken      string
	}{
		{`{a:~x}</call>`, `{"a":"x"}`, chat.StatusAmbiguous, "</call>"},
		{"{a:1,o:{b:[~x\n]} }\n</call>\n", `{"a":1,"o":{"b":["x\n"]}}`, chat.StatusAmbiguous, "\n</call>\n"},
		{`{a:~x}</call> and text`, `{"a":"x"}`, chat.StatusAmbiguous, "</call> and text"},
		{`{a:~x,b:1}</call>`, `{"a":"x,b:1"}`, chat.StatusAmbiguous, "</call>"},
		{`{a:~x]}</call>`, `{"a":"x]"}`, chat.StatusAmbiguous, "</call>"},
		{`{a:[~x}</call>`, ``, chat.StatusTruncated, ""},
		{`{a:~x}</call><call>g{b:~y~}</call>`, `{"a":"x"}`, chat.StatusAmbiguous, `</call><call>g{b:<|"|>`},
		{`{a:~x}</call> or}</call>~}</call>`, `{"a":"x}</call> or}</call>"}`, chat.StatusOK, ""},
	}
	for _, test := range tests {
		r := readDelimited(withDelimiters(test.text), 1<<20, Options{Stops: NewStops("</call>")})
		if r.Value != test.want || r.Status != test.status || r.Taken != test.taken {
			t.Errorf("%s: got %s, %s, %q", test.text, r.Value, r.Status, r.Taken)
		}
	}
}
