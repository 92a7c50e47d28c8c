package literal

import (
	"strings"
	"testing"

	"oneshot/pkg/chat"
)

// readPython reads a text that is one Python call.
func readPython(text string, o Options) (chat.Call, string) {
	s := NewPython(o)
	if _, state := s.Write([]byte(text)); state == NeedMore {
		s.Close()
	}
	call, _ := s.Call()
	return call, codes(s.Findings())
}

func TestPython(t *testing.T) {
	tests := []struct {
		text, name, arguments string
		status                chat.Status
		codes                 string
	}{
		{"now()", "now", `[]`, chat.StatusOK, ""},
		{"  # why\nshop.order(item='tea', count=2,)", "shop.order", `{"item":"tea","count":2}`, chat.StatusOK, ""},
		{`f(1, "x",)`, "f", `[1,"x"]`, chat.StatusOK, ""},
		{"f(a=True, b=False, c=None)", "f", `{"a":true,"b":false,"c":null}`, chat.StatusOK, ""},
		{"f(a=true, b=null, c=None)", "f", `{"a":true,"b":null,"c":null}`, chat.StatusOK, ""},
		{"f(1, a=2)", "f", ``, chat.StatusInvalid, "TC221"},
		{"f(a=1, 2)", "f", ``, chat.StatusInvalid, "TC221"},
		{"f(a=1, a=2)", "f", ``, chat.StatusInvalid, "TC214"},
		{"f(a: 1, b: 2)", "f", `{"a":1,"b":2}`, chat.StatusRepaired, "TC221"},
		{"tools.f(a=1)", "f", `{"a":1}`, chat.StatusRepaired, "TC309"},
		// strings
		{`f(a='it\'s', b="\"x\"", c='\"y\"')`, "f", `{"a":"it's","b":"\"x\"","c":"\"y\""}`, chat.StatusOK, ""},
		{`f('', "", '''''', """""", '"', "'")`, "f", `["","","","","\"","'"]`, chat.StatusOK, ""},
		{"f('''a'b''c\n\"d\r\ne''')", "f", `["a'b''c\n\"d\ne"]`, chat.StatusOK, ""},
		{`f("""a "quoted" b\"""")`, "f", `["a \"quoted\" b\""]`, chat.StatusOK, ""},
		{`f("a" 'b' """c""", x)`, "f", ``, chat.StatusInvalid, "TC217"},
		{`f("a" 'b' # and` + "\n" + `"""c""")`, "f", `["abc"]`, chat.StatusOK, ""},
		{`f(k="a" r"\b")`, "f", `{"k":"a\\b"}`, chat.StatusOK, ""},
		{`f("a", "b" "c", 1)`, "f", `["a","bc",1]`, chat.StatusOK, ""},
		{`f(1 "a")`, "f", ``, chat.StatusInvalid, "TC220"},
		{`f(("a") "b")`, "f", ``, chat.StatusInvalid, "TC220"},
		{`f(r"a\d\"\\", R'\n', u"é", rb)`, "f", ``, chat.StatusInvalid, "TC217"},
		{`f(r"a\d\"\\", R'\n', u"é")`, "f", `["a\\d\\\"\\\\","\\n","é"]`, chat.StatusOK, ""},
		{`f(b"a")`, "f", ``, chat.StatusInvalid, "TC217"},
		{`f(rB'''a)''')`, "f", ``, chat.StatusInvalid, "TC217"},
		{`f(f"a {{b}} \n")`, "f", `["a {b} \n"]`, chat.StatusOK, ""},
		{`f(f"a {b}")`, "f", ``, chat.StatusInvalid, "TC217"},
		{`f(f"}")`, "f", ``, chat.StatusInvalid, "TC217"},
		{`f("\a\b\f\n\r\t\v\0\12\1018\x41\u00e9\U0001F600")`, "f", `["\u0007\b\f\n\r\t\u000b\u0000\nA8Aé😀"]`, chat.StatusOK, ""},
		{"f('a\\\nb\\\r\nc')", "f", `["abc"]`, chat.StatusOK, ""},
		{`f("\d+\/\ ")`, "f", `["\\d+\\/\\ "]`, chat.StatusOK, "TC205"},
		{`f("C:\Users\x4")`, "f", `["C:\\Users\\x4"]`, chat.StatusRepaired, "TC205"},
		{`f("\U00110000", "\New")`, "f", `["\\U00110000","\\New"]`, chat.StatusRepaired, "TC205 TC205"},
		{`f("\N{DASH}")`, "f", ``, chat.StatusInvalid, "TC217"},
		{`f("\ud83d\ude00")`, "f", `["😀"]`, chat.StatusOK, ""},
		{`f("\ud83d")`, "f", ``, chat.StatusInvalid, "TC001"},
		{"f('a\nb')", "f", `["a\nb"]`, chat.StatusRepaired, "TC204"},
		{"f('a\tb')", "f", `["a\tb"]`, chat.StatusOK, ""},
		{"f('\xff')", "f", ``, chat.StatusInvalid, "TC001"},
		// brackets
		{"f((1, 2), (3,), (), (4), ((5)), [(6)], ((7), 8))", "f", `[[1,2],[3],[],4,5,[6],[7,8]]`, chat.StatusOK, ""},
		{"f(a=('x' 'y'))", "f", `{"a":"xy"}`, chat.StatusOK, ""},
		{"f((,))", "f", ``, chat.StatusInvalid, "TC220"},
		{"f({1, 2})", "f", ``, chat.StatusInvalid, "TC217"},
		{"f({'a'})", "f", ``, chat.StatusInvalid, "TC217"},
		{"f({'a', 'b'})", "f", ``, chat.StatusInvalid, "TC217"},
		{"f({'a' 'b': 1, 'c': {}})", "f", `[{"ab":1,"c":{}}]`, chat.StatusOK, ""},
		{"f({'a': 1, 'ab': 2, 'a' 'b': 3})", "f", ``, chat.StatusInvalid, "TC214"},
		{"f({'a': 1, 'a' 'b': 3})", "f", `[{"a":1,"ab":3}]`, chat.StatusOK, ""},
		{"f({1: 'a', -2.50: 'b', True: 'c', None: 'd'})", "f", `[{"1":"a","-2.50":"b","true":"c","null":"d"}]`, chat.StatusRepaired, "TC209 TC209 TC209 TC209"},
		{"f({1: 'a', '1': 'b'})", "f", ``, chat.StatusInvalid, "TC209 TC214"},
		{"f({a: 1})", "f", ``, chat.StatusInvalid, "TC217"},
		{"f({(1, 2): 3})", "f", ``, chat.StatusInvalid, "TC217"},
		{"f([1, 2}, 3)", "f", ``, chat.StatusInvalid, "TC211"},
		// numbers
		{"f(1_000, 0x10, 0o17, 0b11, 1e5, 1., .5, -1, +1, 12345678901234567890)", "f", `[1000,16,15,3,1e5,1,0.5,-1,1,12345678901234567890]`, chat.StatusOK, "TC215"},
		{"f(1j)", "f", ``, chat.StatusInvalid, "TC220"},
		{"f(1 + 2j)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(010)", "f", `[10]`, chat.StatusAmbiguous, "TC216"},
		{"f(...)", "f", ``, chat.StatusInvalid, "TC217"},
		// expressions
		{"f(a)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(g(1), 2)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(1 + 2)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(not x)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f([x for x in y])", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(lambda x: x)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(*a, **b)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(a=`x`)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(a=1 // 2)", "f", ``, chat.StatusInvalid, "TC217"},
		{"f(a=NaN)", "f", ``, chat.StatusInvalid, "TC213"},
		// truncated
		{"f(", "f", ``, chat.StatusTruncated, "TC404"},
		{"f(a='", "f", ``, chat.StatusTruncated, "TC404"},
		{"f(a='''x'", "f", ``, chat.StatusTruncated, "TC404"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			call, got := readPython(test.text, Options{})
			if call.Name != test.name || string(call.Arguments) != test.arguments || call.Status != test.status {
				t.Errorf("got %s %s %s", call.Name, call.Arguments, call.Status)
			}
			if got != test.codes {
				t.Errorf("findings %q, want %q", got, test.codes)
			}
		})
	}
}

func TestPythonOptions(t *testing.T) {
	wrapped := Options{Base: 10, Wrapper: "print"}
	tests := []struct {
		text, name, arguments, call string
		wrapped                     bool
	}{
		{"print(default_api.f(a=1))", "f", `{"a":1}`, "default_api.f(a=1)", true},
		{" print (\n f ( ) # x\n)", "f", `[]`, "f ( )", true},
		{"print(a=1)", "print", `{"a":1}`, "print(a=1)", false},
		{"print('x', 1)", "print", `["x",1]`, "print('x', 1)", false},
		{"print()", "print", `[]`, "print()", false},
		{"print(x)", "print", ``, "print(x)", false},
		{"print(f(1).g)", "f", `[1]`, "f(1)", true},
		{"printf(a=1)", "printf", `{"a":1}`, "printf(a=1)", false},
		{"f(print(1))", "f", ``, "f(print(1))", false},
		{"print(f<|x|>(1))", "f", ``, "f<|x|>(1)", true},
		{"print(f<|x|><|y|>, 1)", "print", ``, "print(f<|x|><|y|>, 1)", false},
	}
	for _, test := range tests {
		s := NewPython(wrapped)
		s.Write([]byte(test.text))
		call, _ := s.Call()
		if call.Name != test.name || string(call.Arguments) != test.arguments || call.Text != test.call || s.IsInWrapperCall() != test.wrapped {
			t.Errorf("%s: %s %s %q, %t", test.text, call.Name, call.Arguments, call.Text, s.IsInWrapperCall())
		}
		if start := call.Start - 10; start < 0 || test.text[start:start+len(call.Text)] != call.Text {
			t.Errorf("%s: the call is at %d", test.text, call.Start)
		}
	}
}

// A comparison in the wrapper is part of its statement: no call in it is read.
func TestComparisonInWrapper(t *testing.T) {
	text := "print(x<y, f(1))"
	s := NewPython(Options{Wrapper: "print"})
	s.Write([]byte(text))
	s.Close()
	if junk, isJunk := s.NonCall(); !isJunk || junk.End != len(text) {
		t.Errorf("%s: junk %v, %t", text, junk, isJunk)
	}
}

// The caller of a scanner reads the text between calls, so a faulty call and a non-call end
// before it.
func TestPythonNext(t *testing.T) {
	for text, want := range map[string]string{
		"[f(a=1), g()]":               "f g",
		"[f(a=x, b=[y]), g()]":        "f! g",
		"[f(a=1], g()]":               "f! g",
		"[f(a=[1, (x, [2]), ')'], g":  "f!",
		"[a, b(1), c.d]":              "- b -",
		"f()\ng()\nx = h()\ni()":      "f g - i",
		"f(a='''\n)''' 'x')\ng()":     "f g",
		"it's f(1), g()":              "- g",
		"[x['a, b'](1), g()]":         "- g",
		"[f(a=r'\\'), x', b), g(c)]":  "f! g!",
		"f(1);g(2)":                   "f - g",
		"if x:\n  f()":                "-",
		"[f({'a': (1, x), 'b'}), g()": "f! g",
		`[f("\ud83d\"), g(1)"), h()]`: "f! h",
	} {
		if got := readCalls(text, len(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// pythonList reads Python calls one after another, and skips the brackets and commas between
// them. It records the state of the scanner after each.
func pythonList(text string, piece int, o Options, take func(*Scanner, State)) *Scanner {
	s := NewPython(o)
	reading := false
	for i := 0; i < len(text); {
		if !reading && strings.IndexByte("[](), \n", text[i]) >= 0 {
			i++
			s.ResetAt(o.Base + i)
			continue
		}
		n, state := s.Write([]byte(text[i:min(len(text), i+piece)]))
		i, reading = i+n, state == NeedMore
		if state == NeedMore {
			continue
		}
		take(s, state)
		if state == Stopped {
			return s
		}
		i -= len(s.Unread())
		s.ResetAt(o.Base + i)
		s.Next()
	}
	if reading {
		take(s, s.Close())
	}
	return s
}

// readCalls names the calls of a text: "f!" for a faulty one, and "-" for a non-call.
func readCalls(text string, piece int) string {
	var all []string
	pythonList(text, piece, Options{}, func(s *Scanner, _ State) {
		call, ok := s.Call()
		switch {
		case !ok:
			all = append(all, "-")
		case call.Executable:
			all = append(all, call.Name)
		default:
			all = append(all, call.Name+"!")
		}
	})
	return strings.Join(all, " ")
}
