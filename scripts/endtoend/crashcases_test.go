package endtoend

import "testing"

// crashCases maps each case of an interrupted run to the test or script that covers it, or to the reason why none does.
var crashCases = map[string]string{
	"kill-every-fsync":      "scripts/crash TestSweep",
	"kill-hooks":            "scripts/crash TestSweep",
	"kill-random":           "scripts/crash TestSweep",
	"prefix":                "pkg/runfile TestPrefixLaw",
	"bitflip":               "pkg/runfile TestBitFlipLaw",
	"zero-block":            "scripts/crash TestSweep",
	"dup-record":            "pkg/runfile TestDamage",
	"foreign-record":        "pkg/runfile TestDamage",
	"newer-version":         "pkg/runfile TestDamage",
	"enospc-intent":         "pkg/agent TestRecorderFails",
	"enospc-tail":           "scripts/crash TestSweep",
	"eio-fsync":             "pkg/runfile TestWriterDies",
	"erofs":                 "run_full",
	"two-resumes":           "scripts/crash TestSweep",
	"lock-stale":            "run_killed",
	"fork-holds-lock":       "run_killed",
	"model-nondeterminism":  "pkg/agent TestResumeAtEveryRecord",
	"tool-order":            "run_killed",
	"intent-no-result-read": "pkg/agent TestResumeAtEveryRecord",
	"idem-409":              "http_keys",
	"idem-body-change":      "http_keys", // run_unknown_outcome shows that other arguments have another key
	"args-changed":          "run_resume",
	"binary-changed":        "pkg/runfile TestUnknownMembersAreIgnored",
	"secret-rotated":        "secrets_resume",
	"journal-symlink":       "pkg/runfile TestOpenRefuses",
	"journal-injected":      "none: a record is not signed: who can write it can write any; one that others can touch is refused (run_resume)",
	"stdout-closed":         "run_undelivered",
	"sigterm":               "run_signal",
	"power-cut":             "none: needs a device that loses writes; what is synced before what is held by TestDurability of pkg/agent",
	"nfs":                   "pkg/runfile TestRemote",
	"concurrent-runs":       "pkg/fileroot TestNoLostUpdate",
}

func TestCrashCases(t *testing.T) {
	for id, shown := range crashCases {
		wantShown(t, id, shown)
	}
	eachCase(t, "crash_cases.jsonl", func(id, _ string) {
		if crashCases[id] == "" {
			t.Errorf("nothing shows the case %s", id)
		}
	})
}
