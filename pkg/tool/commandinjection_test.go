package tool

import (
	"fmt"
	"strings"
	"testing"

	"oneshot/pkg/diag"
)

// TD014: a value that a program would run as code is rejected, in whatever way it gets there, and a
// value that is data is not. The programs are YAML.
func TestEvaluator(t *testing.T) {
	for exec, refused := range map[string]bool{
		`argv: [bash], stdin: "${x}"`:                                          true,
		`argv: [/bin/bash, -s, --, a], stdin: "${x}"`:                          true,
		`argv: [bash, -], stdin: "${x}"`:                                       true,
		`argv: [bash, -x, /dev/stdin], stdin: json`:                            true,
		`argv: [python3.11, -W, error], stdin: "${x}"`:                         true,
		`argv: [bash, script.sh], stdin: "${x}"`:                               false,
		`argv: [bash, -c, cat], stdin: "${x}"`:                                 false,
		`argv: [python3, -m, json.tool], stdin: "${x}"`:                        false,
		`argv: [python3], stdin: "import sys"`:                                 false,
		`argv: [awk, "${x}"]`:                                                  true,
		`argv: [gawk, -v, "a=${x}", "{print a}"]`:                              false,
		`argv: [awk, "BEGIN { system(ARGV[1]) }", "${x}"]`:                     true,
		`argv: [awk, -f, prog.awk, "${x}"]`:                                    false,
		`argv: [awk, -f, "-"], stdin: "${x}"`:                                  true,
		`argv: [awk, -F, ",", "{print $1}", "${x}"]`:                           false,
		`argv: [awk, "{print $1}"], stdin: "${x}"`:                             false,
		`argv: [sed, "${x}", file]`:                                            true,
		`argv: [sed, -n, "s/a/${x}/"]`:                                         true,
		`argv: [sed, "--expression=${x}"]`:                                     true,
		`argv: [sed, -e, s/a/b/, "${x}"]`:                                      false,
		`argv: [sed, s/a/b/], stdin: "${x}"`:                                   false,
		`argv: [env, "${x}"]`:                                                  true,
		`argv: [env, -S, "${x}"]`:                                              true,
		`argv: [env, -i, "LD_PRELOAD=${x}", ls]`:                               true,
		`argv: [env, "PATH=${x}", ls]`:                                         true,
		`argv: [env, "WORD=${x}", ls]`:                                         false,
		`argv: [env, -u, HOME, ls, "${x}"]`:                                    false,
		`argv: [timeout, "5", "${x}"]`:                                         true,
		`argv: [timeout, "${n}", ls, "${x}"]`:                                  false,
		`argv: [nice, -n, "${n}", ls, "${x}"]`:                                 false,
		`argv: [nice, "${x}"]`:                                                 true,
		`argv: [timeout, "5", bash], stdin: "${x}"`:                            true,
		`argv: [find, ".", -name, "${x}"]`:                                     false,
		`argv: [find, ".", -exec, "${x}", "{}", ";"]`:                          true,
		`argv: [find, ".", -exec, sh, -c, "${x}", ";"]`:                        true,
		`argv: [sh, -c, 'eval "$1"', _, "${x}"]`:                               true,
		`argv: [sh, -c, 'cd /tmp && "$@"', _, "${x}"]`:                         true,
		`argv: [sh, -c, '$1', _, "${x}"]`:                                      true,
		`argv: [sh, -c, 'exec "$@"', _, "${x}"]`:                               true,
		`argv: [sh, -c, 'echo "$1" | bash', _, "${x}"]`:                        true,
		`argv: [sh, -c, 'x=$(bash -c "$1")', _, "${x}"]`:                       true,
		`argv: [sh, -c, '. "$1"', _, "${x}"]`:                                  true,
		`argv: [sh, -c, 'grep -r -- "$1" . | head -n 5', _, "${x}"]`:           false,
		`argv: [sh, -c, 'for f in "$@"; do cat "$f"; done', _, "${x}"]`:        false,
		`argv: [sh, -c, 'find . -name "$1" -print', _, "${x}"]`:                false,
		`argv: [sh, -c, 'eval "$1"', _, "${mode}"]`:                            false, // one of two words
		`argv: [python3, -c, 'import os,sys; os.system(sys.argv[1])', "${x}"]`: true,
		`argv: [python3, -c, 'import sys; exec(sys.argv[1])', "${x}"]`:         true,
		`argv: [python3, -c, 'import sys; print(sys.argv[1])', "${x}"]`:        false,
		`argv: [node, -e, 'console.log(/a/.exec(process.argv[1]))', "${x}"]`:   false,
		`argv: [xargs, sh, -c], stdin: "${x}"`:                                 true,
		`argv: [xargs, rm, --], stdin: "${x}"`:                                 false,
		`argv: [ssh, host, cat, "${x}"]`:                                       true,
		`argv: [ssh, -p, "22", host], stdin: "${x}"`:                           true,
		`argv: [ssh, host, cat], stdin: "${x}"`:                                false,
		`argv: [su, -c, "${x}"]`:                                               true,
		`argv: [m4], stdin: "${x}"`:                                            true,
		`argv: [jq, ".a"], stdin: json`:                                        false,
		`argv: [git, log, "--grep=${x}"]`:                                      false,
	} {
		text := fmt.Sprintf("name: a\ndescription: Does it.\nparameters: {x: {type: string}, n: {type: integer}, mode: {enum: [fast, slow]}}\n"+
			`examples: [{call: 'a({"x":"v","n":1,"mode":"fast"})'}, {call: 'a({"x":"w","n":1,"mode":"fast"})'}, {call: 'a({"x":"z","n":1,"mode":"fast"})'}]`+"\neffect: exec\nexec: {%s}\n", exec)
		_, findings := Loader{}.Parse("a.yaml", []byte(text))
		found := false
		for _, f := range findings {
			switch {
			case f.Code == diag.DefProgram:
				found = true
			case f.Severity == diag.Error:
				t.Errorf("%s: %s", exec, f.Message)
			}
		}
		if found != refused {
			t.Errorf("%s: refused is %v, want %v", strings.TrimSpace(exec), found, refused)
		}
	}
}
