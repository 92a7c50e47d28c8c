package diag

// Codes for baselines, which list known findings.
const UnusedBaseline Code = "TB001"

// baselineRules documents the TB codes.
var baselineRules = []Rule{
	{
		Code: UnusedBaseline, Slug: "unused-baseline", Severity: Warning,
		Title: "A baseline entry matches no finding",
		Text: "The finding has been fixed or has changed. A stale entry would hide the same fault if it returned, so a baseline should only shrink: " +
			"delete the line or write the baseline again. Entries for files and codes that were not checked are not reported.",
		Bad:  `an entry {"fingerprint":"…","code":"TC301","file":"reply.txt","call":"wgett"}, and every call in reply.txt names a tool`,
		Good: `the same entry, and reply.txt still calls wgett as it did`,
	},
}
