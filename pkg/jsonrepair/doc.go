// Package jsonrepair suggests a repair of a text that should be one JSON document: a
// value, and the edits of the text that give it.
//
// Package literal reads JSON strictly while it streams and makes only certain
// repairs. Where it gives up, jsonrepair reads the whole text again. Its result is a
// suggestion: parse shows it and nothing runs it.
//
// Three rules choose between readings. JSON stays as it is, byte for byte. The reading
// that loses least wins: text that is not a value becomes a string before it is
// dropped. The reading that invents least wins: a missing value is null, and names are
// never made up.
//
// Nothing is evaluated, and nothing recurses. Lookahead ends after a fixed number of
// bytes, and the search for the end of a string draws on a budget, so that the time is
// linear. A text that exceeds the budget has no repair.
package jsonrepair
