package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Bounds on regular expressions, in instructions: package regexp unrolls
// repetitions, so that a pattern of 20 bytes can take 100 MB and match at a
// megabyte a minute.
const (
	maxInstructions      = 1 << 13 // of one pattern
	maxTotalInstructions = 1 << 16 // of all patterns of a document
)

var (
	errPatternSize  = fmt.Errorf("its repetitions unroll to more than %d instructions", maxInstructions)
	errPatternsSize = fmt.Errorf("all patterns together unroll to more than %d instructions", maxTotalInstructions)
)

// A PatternBudget bounds all regular expressions of one document together. The zero value is ready to use.
type PatternBudget struct{ used int }

// Add returns the approximate number of instructions a pattern compiles to. An error means the pattern is invalid or
// too large.
func (b *PatternBudget) Add(text string) (instructions int, err error) {
	n, err := patternSize(text)
	if b.used += n; err == nil && b.used > maxTotalInstructions {
		err = errPatternsSize
	}
	return n, err
}

// CompileBoundedPattern compiles a regular expression whose unrolled repetitions stay within bounds.
func CompileBoundedPattern(text string) (*regexp.Regexp, error) {
	if _, err := patternSize(text); err != nil {
		return nil, err
	}
	return regexp.Compile(text)
}

// patternSize returns the approximate number of instructions a pattern compiles to.
func patternSize(text string) (int, error) {
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	n := countInstructions(re)
	if n > maxInstructions {
		return n, errPatternSize
	}
	return n, nil
}

// countInstructions counts the instructions of an expression, up to just above [maxInstructions]. The parser bounds
// the depth.
func countInstructions(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = 1 + len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(n+countInstructions(sub), maxInstructions+1)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxInstructions+1)
}

func patternErrorText(err error) string {
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		return "is not a regular expression (RE2): " + wrong.Code.String() + ": " + wrong.Expr
	}
	return "is too large a pattern: " + err.Error()
}
