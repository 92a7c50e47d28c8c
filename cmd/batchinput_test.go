package cmd

import (
	"runtime"
	"strconv"
	"testing"
)

// A batch keeps at most 100 bytes for each of its records, however long their IDs are.
func TestRecordIndexMemory(t *testing.T) {
	const records, most = 200_000, 100
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var x recordIndex
	for i := range records {
		e := x.entry(keyOfID("a long ID that many records begin with, which is kept nowhere " + strconv.Itoa(i)))
		e.line, e.input = int32(i+1), keyOfID("digest "+strconv.Itoa(i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(x.entries) != records {
		t.Fatalf("%d records of %d", len(x.entries), records)
	}
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / records; each > most {
		t.Errorf("%d bytes a record, of which %d are allowed", each, most)
	} else {
		t.Logf("%d bytes a record", each)
	}
}
