package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseReplies(t *testing.T) {
	got, err := ParseReplies("comment\n-- missing --\nno\n-- a.1 --\none\n\ntwo\n-- a.2 loop --\nspam \n-- a.3 --\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Reply{
		{Name: "missing", Text: "no"},
		{Name: "a.1", Text: "one\n\ntwo"},
		{Name: "a.2", Text: "spam ", Loop: true},
		{Name: "a.3"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRepliesRefuses(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"nothing", "", `"missing"`},
		{"twice", "-- missing --\n-- missing --\n", "line 2"},
		{"a name the template cannot find", "-- Missing --\n", "line 1"},
		{"an option", "-- missing slow --\n", "slow"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseReplies(test.src)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v; want one with %s", err, test.want)
			}
		})
	}
}
