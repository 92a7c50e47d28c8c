package runfile

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"oneshot/pkg/diag"
)

// ends returns the offset after each line of a text.
func ends(text []byte) []int {
	var out []int
	for i, c := range text {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// TestPrefixLaw checks that a file is readable after any torn append, with all
// records before the cut.
func TestPrefixLaw(t *testing.T) {
	text := write(t, story()[:7]...)
	bounds := ends(text)
	tails := map[string]string{"nothing": "", "NULs": strings.Repeat("\x00", 4096), "noise": "\x9e{\"seq\":\x01\",\"crc\":\"", "newline": "\n"}
	for cut := range len(text) + 1 {
		whole := 0
		for whole < len(bounds) && bounds[whole] <= cut {
			whole++
		}
		for name, tail := range tails {
			log, err := Read(strings.NewReader(string(text[:cut]) + tail))
			if err != nil {
				t.Fatalf("cut at %d, then %s: %v", cut, name, err)
			}
			want := whole
			if tail == "\n" && cut < len(text) && text[cut] == '\n' {
				want++ // the tail is the missing line feed
			}
			if len(log.Records) != want {
				t.Fatalf("cut at %d, then %s: %d records, want %d", cut, name, len(log.Records), want)
			}
			left := cut + len(tail) - int(log.Size)
			if (log.Torn != nil) != (left > 0) || log.Torn != nil && log.Torn.Offset != log.Size {
				t.Fatalf("cut at %d, then %s: %d bytes left, torn %+v, size %d", cut, name, left, log.Torn, log.Size)
			}
		}
	}
}

// TestBitFlipLaw checks that every flipped bit is noticed: the file is refused, or
// the last record is torn.
func TestBitFlipLaw(t *testing.T) {
	text := write(t, story()[:3]...)
	bounds := ends(text)
	last := bounds[len(bounds)-2]
	for i := range text {
		for bit := range 8 {
			text[i] ^= 1 << bit
			log, err := Read(bytes.NewReader(text))
			text[i] ^= 1 << bit
			var damage *DamageError
			switch {
			case errors.As(err, &damage):
			case err != nil:
				t.Fatalf("bit %d of byte %d: %v", bit, i, err)
			case i < last:
				t.Fatalf("bit %d of byte %d, before the last record: not refused (torn: %+v)", bit, i, log.Torn)
			case log.Torn == nil || log.Torn.Offset != int64(last):
				t.Fatalf("bit %d of byte %d: torn %+v, want it at %d", bit, i, log.Torn, last)
			}
		}
	}
}

// seal returns a line with a valid checksum.
func seal(members string) string {
	return fmt.Sprintf("{%s,\"crc\":\"%08x\"}\n", members, crc32.Checksum([]byte("{"+members), crcTable()))
}

func TestDamage(t *testing.T) {
	lines := strings.SplitAfter(string(write(t, story()...)), "\n")
	other := strings.SplitAfter(string(write(t)), "\n")[0]
	first, second := lines[0], lines[1]
	const head = `"run":"` + testID + `","time":"2026-11-21T08:47:59Z"`
	for _, c := range []struct {
		name, text string
		code       diag.Code
		line       int
		why        string
	}{
		{"edited", first + strings.Replace(second, `"data":`, `"date":`, 1) + lines[2], diag.RunDamaged, 2, "checksum"},
		{"zeros in the middle", first + strings.Repeat("\x00", 4096) + second + lines[2], diag.RunDamaged, 2, "checksum"},
		{"empty line", first + "\n" + second, diag.RunDamaged, 2, "checksum"},
		{"upper case", first + seal(`"seq":2,` + head + `,"kind":"end"`)[:20] + "\n" + second, diag.RunDamaged, 2, "checksum"},
		{"no line feed between", first + strings.TrimSuffix(second, "\n") + " " + lines[2], diag.RunDamaged, 2, "checksum"},
		{"twice", first + second + second, diag.RunSequence, 3, "found record 2, expected record 3"},
		{"left out", first + lines[2], diag.RunSequence, 2, "found record 3, expected record 2"},
		{"another run", first + seal(`"seq":2,"run":"x","time":"2026-11-21T08:47:59Z","kind":"end"`), diag.RunSequence, 2, `run "x"`},
		{"appended file", first + other, diag.RunSequence, 2, "found record 1"},
		{"no beginning", second + lines[2], diag.RunSequence, 1, "kind"},
		{"wrong beginning", seal(`"seq":2,"kind":"run","version":2,"id":"` + testID + `",` + head), diag.RunSequence, 1, "number 2"},
		{"two ids", seal(`"seq":1,"kind":"run","version":2,"id":"x",` + head), diag.RunSequence, 1, `describes run "x"`},
		{"newer", seal(`"seq":"one","kind":"run","version":99,` + head), diag.RunDamaged, 1, "cannot be read"},
		{"older version", seal(`"seq":1,"kind":"run","version":1,` + head), diag.RunVersion, 1, "format version 1, and this oneshot reads version 2; use the older oneshot that wrote it"},
		{"newer version", seal(`"seq":1,"kind":"run","version":99,` + head), diag.RunVersion, 1, "version 99, and this oneshot reads version 2; update oneshot"},
		{"no version", seal(`"seq":1,"kind":"run",` + head), diag.RunVersion, 1, "version 0"},
		{"unknown kind", first + seal(`"seq":2,"kind":"tea",`+head), diag.RunVersion, 2, `"tea"; another version`},
		{"wrong type", first + seal(`"seq":2,"kind":"end","exit":"0",`+head), diag.RunVersion, 2, "end record"},
		{"not JSON", first + seal(`seq`), diag.RunDamaged, 2, "cannot be read"},
	} {
		_, err := Read(strings.NewReader(c.text))
		var damage *DamageError
		if !errors.As(err, &damage) {
			t.Errorf("%s: %v, want a DamageError", c.name, err)
			continue
		}
		if damage.Code != c.code || damage.Line != c.line || !strings.Contains(damage.Why, c.why) {
			t.Errorf("%s: %s, line %d, %s; want %s, line %d, %s", c.name, damage.Code, damage.Line, damage.Why, c.code, c.line, c.why)
		}
		if want := offsetOf(c.text, c.line); damage.Offset != want {
			t.Errorf("%s: offset %d, want %d", c.name, damage.Offset, want)
		}
	}
}

// offsetOf returns the offset of a line of a text.
func offsetOf(text string, number int) int64 {
	lines := strings.SplitAfter(text, "\n")
	return int64(len(strings.Join(lines[:number-1], "")))
}

func TestUnknownMembersAreIgnored(t *testing.T) {
	text := write(t)
	text = append(text, seal(`"seq":2,"run":"`+testID+`","kind":"discarded","time":"2026-11-21T08:47:59Z","call":"c","why":"w","later":[1]`)...)
	log, err := Read(bytes.NewReader(text))
	if err != nil || len(log.Records) != 2 || log.Records[1].Body != (Discarded{Call: "c", Why: "w"}) {
		t.Errorf("%v, %+v", err, log.Records)
	}
}

func TestReaderErrors(t *testing.T) {
	text := write(t, story()...)
	log, err := Read(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(log.Records) != 1+len(story()) {
		t.Errorf("%v, %d records", err, len(log.Records))
	}
	if log, err := Read(iotest.OneByteReader(bytes.NewReader(text))); err != nil || len(log.Records) != 1+len(story()) {
		t.Errorf("byte by byte: %v", err)
	}
	if _, err := ReadFile("/nonexistent/run"); err == nil {
		t.Error("a missing file was read")
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestLineCap(t *testing.T) {
	_, err := Read(endless{})
	var damage *DamageError
	if !errors.As(err, &damage) || damage.Code != diag.RunDamaged || !strings.Contains(damage.Why, "longer") {
		t.Errorf("%v, want a DamageError", err)
	}
}

// FuzzRead checks that no text makes the reader panic, and that the intact part of a
// text is read again with the same number of records. It also seals the texts, so
// that they pass the checksum.
func FuzzRead(f *testing.F) {
	text, first := write(f, story()...), write(f)
	f.Add(text)
	f.Add(text[:len(text)-7])
	f.Add([]byte(seal(`"seq":1,"kind":"run"`)))
	f.Add([]byte{})
	for line := range strings.Lines(string(text)) {
		f.Add([]byte(line[1 : len(line)-1-crcSize]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, sealed := range []string{seal(string(text)), string(first) + seal(string(text))} {
			log, err := Read(strings.NewReader(sealed))
			Findings("f", log, err)
		}
		log, err := Read(bytes.NewReader(text))
		if log.Size > int64(len(text)) || err == nil && log.Torn == nil && log.Size != int64(len(text)) {
			t.Errorf("size %d of %d bytes, torn %v, %v", log.Size, len(text), log.Torn, err)
		}
		Findings("f", log, err)
		again, err := Read(bytes.NewReader(text[:log.Size]))
		if err != nil || again.Torn != nil || len(again.Records) != len(log.Records) {
			t.Errorf("cut at %d: %d records, torn %v, %v; want %d records", log.Size, len(again.Records), again.Torn, err, len(log.Records))
		}
	})
}
