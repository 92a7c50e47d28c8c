package diag

// Codes about baselines, which record findings that are known.
const UnusedBaseline Code = "TB001"

// baselineRules documents the TB codes.
var baselineRules = []Rule{
	{
		Code: UnusedBaseline, Slug: "unused-baseline", Severity: Warning,
		Title: "An entry of a baseline matches no finding",
		Text: "What it recorded has been mended, or is not the same any more. An entry that stays would hide the same fault when it comes back, so a baseline should only shrink: " +
			"delete the line, or write the baseline again. Entries about files and codes that were not looked at say nothing.",
		Bad:  `an entry {"fingerprint":"…","code":"TC301","file":"reply.txt","call":"wgett"}, and every call in reply.txt names a tool`,
		Good: `the same entry, and reply.txt still calls wgett as it did`,
	},
}
