package literal

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"oneshot/pkg/diag"
)

// seeds are the inputs of the dialect cases.
func seeds(t testing.TB) []string {
	files, err := filepath.Glob("../../testdata/dialect/tool/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	var all []string
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name == "input" {
				_, body, _ := strings.Cut(string(f.Data), "tool\n")
				all = append(all, body)
			}
		}
	}
	return all
}

func TestPieces(t *testing.T) {
	for _, text := range seeds(t) {
		checkPieces(t, text)
	}
}

// lawSeeds are the inputs of the tests of Python and of string delimiters.
var lawSeeds = []string{
	"[f(a=1, b='x'), g.h()]", "f(r'\\', \"\"\"a\"b\"\"\", f'{{}}' 'x', b'')\ng({'a': (1, (2)), 3: None, True: -.5})", "print(f(a=x), [g(]<]['']",
	"f('\\x41\\u00e9\\U0001F600\\101\\N{x}\\q\\\n\r\n', # c\n\t)", "x = 'it' # </call>\nf(</cal[TOOL]", "{'a', 1} f({'a' 'b': ('c' 'd')})", "print(\nprint(a=true))<<",
	withDelimiters("{a:~x~,b:[1,~y~],c:{}}"), withDelimiters("call:f{a:~x,b:~y~}g{k:'v'~,~l~:w x}"), withDelimiters("{a:~x}</call>{b:~y~}"), withDelimiters("{a:~\\\"\n<|\"~~,b:007,c:True,d:a:b}"),
	withDelimiters("{a:[~x,~y~,{b:~}]<]"), withDelimiters("{a:x, y~z}{"), withDelimiters("{\"a\":\"\\n\\d\",}"),
}

func TestLaw(t *testing.T) {
	for i, a := range lawSeeds {
		checkLaw(t, a)
		checkLaw(t, a+lawSeeds[(i+3)%len(lawSeeds)])
	}
}

// FuzzLaw checks the streaming law, and that every span is inside the text, for statements,
// values, Python, string delimiters and stops, and parts of JSON.
func FuzzLaw(f *testing.F) {
	for _, text := range slices.Concat(seeds(f), lawSeeds, jsonPieces) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkPieces(t, text)
		checkLaw(t, text)
		checkParts(t, text)
		checkWhole(t, text)
	})
}

// jsonSeeds are JSON in many spellings.
var jsonSeeds = []string{
	`{"a":[1.50,-0,1e5,"\u00e9\n\ud83d\ude00\/",null,true,{}]}`, `" \u2028 < \u0000 <|\"|> '"`, `12345678901234567890`, `{"a b":{"":"<|\"|"},"t":"true"}`,
	`[[],{},[[""]],"\\","'''","{x}"]`, `"<|\"<|\"|"`,
}

// FuzzValue checks that JSON is read as its own value, whole and by its members, and that its
// rendered form is read back as the same value.
func FuzzValue(f *testing.F) {
	for _, text := range slices.Concat(jsonSeeds, jsonPieces) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) || !utf8.ValidString(text) {
			t.Skip("not JSON")
		}
		if checkValue(t, text) {
			checkMembers(t, text)
			checkRendered(t, text)
		}
	})
}

// checkValue checks that JSON keeps its keys, their order and all digits, and that the only
// findings are numbers that floats cannot hold. It returns false for rejected JSON.
func checkValue(t *testing.T, text string) bool {
	got, findings := parseValue(text)
	for _, finding := range findings {
		switch finding.Code {
		case diag.InexactNumber:
		case diag.DuplicateKey, diag.TooDeep, diag.InvalidUTF8:
			return false
		default:
			t.Fatalf("%s: %v", text, finding)
		}
	}
	if want := tokens(t, []byte(text)); !bytes.Equal(tokens(t, got), want) {
		t.Fatalf("%s is read as %s", text, got)
	}
	if again, _ := parseValue(string(got)); !bytes.Equal(again, got) {
		t.Fatalf("%s is read as %s and then as %s", text, got, again)
	}
	return true
}

// tokens writes JSON with one spelling for each string.
func tokens(t *testing.T, text []byte) []byte {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var b bytes.Buffer
	for {
		token, err := dec.Token()
		if err != nil {
			return b.Bytes()
		}
		if delim, ok := token.(json.Delim); ok {
			b.WriteString(delim.String() + "\n")
			continue
		}
		line, err := json.Marshal(token)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
}

// TestLinear checks that twice the text takes twice the work, whole and byte by
// byte (B4).
func TestLinear(t *testing.T) {
	pieces := []string{
		"[", "f(", "f();", "x ", "'", "\"", "`", "\n```", "\\", `\u{`, "${", "{a:", "a:1,", "/*", "*/", "//", "/", "1", "1e+", "0x1", "True,",
		"\xff", "\u00a0", "é", "a'", "({[", ")", "}`", "return ", "await ", ".", "...", "=", ";", "\r",
	}
	for i, before := range []string{"", "f(", "f('", "f(`", "f({", "f(x,", "f(`${", "x="} {
		for k := i % growthShare; k < len(pieces); k += growthShare {
			piece := pieces[k]
			for _, size := range []int{1, 1 << 30} {
				small, large := work(before, piece, growthSize, size), work(before, piece, 2*growthSize, size)
				if float64(large.steps) > 2.05*float64(small.steps)+100 {
					t.Errorf("%q and many %q, pieces of %d: %d steps, twice as many take %d", before, piece, size, small.steps, large.steps)
				}
				if float64(large.bytes) > 2.5*float64(small.bytes)+1<<20 {
					t.Errorf("%q and many %q, pieces of %d: %d bytes, twice as many take %d", before, piece, size, small.bytes, large.bytes)
				}
			}
		}
	}
}

type workDone struct {
	steps int
	bytes uint64
}

// work reads a text of n bytes and counts steps and allocated bytes.
func work(before, piece string, n, size int) workDone {
	text := []byte(before + strings.Repeat(piece, n/len(piece)))
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	s := newStatement()
	for len(text) > 0 {
		n, state := s.Write(text[:min(size, len(text))])
		text = text[n:]
		if state == FenceClosed {
			break
		}
		if state != NeedMore {
			s.Next()
		}
	}
	s.Close()
	runtime.ReadMemStats(&end)
	return workDone{s.steps, end.TotalAlloc - start.TotalAlloc}
}
