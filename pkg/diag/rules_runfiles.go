package diag

// runFileRules documents the TR codes.
var runFileRules = []Rule{
	{
		Code:     RunDamaged,
		Slug:     "damaged",
		Severity: Error,
		Title:    "A run file is damaged",
		Text: "A line before the last one fails its checksum, or passes it and cannot be parsed. A crash cannot cause that: the file was edited, or " +
			"the disk lost data. Nothing after this line can be trusted, so the run is neither resumed nor replayed.",
		Bad:  `{"seq":2,"run":"20261121T084759Z-3f9ac2","kind":"request",…,"turn":7,"crc":"5d0c1a2b"}  (turn was edited from 1 to 7)`,
		Good: `{"seq":2,"run":"20261121T084759Z-3f9ac2","kind":"request",…,"turn":1,"crc":"5d0c1a2b"}`,
	},
	{
		Code:     RunTorn,
		Slug:     "torn",
		Severity: Warning,
		Title:    "The last line of a run file is incomplete",
		Text: "The run was interrupted while appending a record: by a signal, a full disk or a power failure. Only complete records count, so " +
			"everything before the torn line is valid, and resuming the run removes the line.",
		Bad:  `{"seq":9,"run":"20261121T084759Z-3f9ac2","kind":"resu`,
		Good: `{"seq":9,"run":"20261121T084759Z-3f9ac2","kind":"result",…,"crc":"0b41c9e7"}`,
		Fix:  Safe,
	},
	{
		Code:     RunSequence,
		Slug:     "sequence",
		Severity: Error,
		Title:    "A record of a run file is out of sequence or belongs to another run",
		Text: "Records are numbered 1, 2, 3, … and name their run. A repeated or missing number, or another run's id, means that records were " +
			"copied, deleted or mixed. The file is rejected: resuming it could repeat a write that was already done.",
		Bad:  `{"seq":4,…} followed by {"seq":4,…}`,
		Good: `{"seq":4,…} followed by {"seq":5,…}`,
	},
	{
		Code:     RunVersion,
		Slug:     "version",
		Severity: Error,
		Title:    "A run file has an unsupported version",
		Text: "The first record names the format version. An intact record of an unknown kind or form comes from another version, too. " +
			"What it means is unknown, so the file is rejected and not changed.",
		Bad:  `{"seq":1,…,"kind":"run",…,"version":99,…}`,
		Good: `{"seq":1,…,"kind":"run",…,"version":2,…}`,
	},
	{
		Code:     RunUnordered,
		Slug:     "unordered",
		Severity: Error,
		Title:    "A record is in an impossible place",
		Text: "Each record is valid, but the sequence is impossible: a result without a call, a response without a request, a new request " +
			"while a write has no outcome, a second result for one call, or anything after the end. The file was assembled by hand or " +
			"written by a faulty program.",
		Bad:  `a "result" record with "call":"c3" and no "call" record with "id":"c3" before it`,
		Good: `"call" with "id":"c3", then "intent" when it writes, then "result" with "call":"c3"`,
	},
}
