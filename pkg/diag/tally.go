package diag

// A Tally counts findings by severity.
type Tally struct{ Errors, Warnings, Infos, Hints int }

// TallyOf counts findings.
func TallyOf(findings []Finding) Tally {
	var t Tally
	for _, f := range findings {
		switch f.Severity {
		case Error:
			t.Errors++
		case Warning:
			t.Warnings++
		case Info:
			t.Infos++
		default:
			t.Hints++
		}
	}
	return t
}

// Add returns the sum of two tallies.
func (t Tally) Add(u Tally) Tally {
	return Tally{t.Errors + u.Errors, t.Warnings + u.Warnings, t.Infos + u.Infos, t.Hints + u.Hints}
}

// Count returns the number of findings with a severity.
func (t Tally) Count(s Severity) int {
	switch s {
	case Error:
		return t.Errors
	case Warning:
		return t.Warnings
	case Info:
		return t.Infos
	}
	return t.Hints
}

// Worst returns the highest severity with a finding, or "" without findings.
func (t Tally) Worst() Severity {
	for _, s := range []Severity{Error, Warning, Info, Hint} {
		if t.Count(s) > 0 {
			return s
		}
	}
	return ""
}
