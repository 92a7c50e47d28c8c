// Package mend suggests what a text that should be JSON and is not was meant to
// say.
//
// Package literal reads JSON strictly, with the few repairs that are certain,
// while it streams. Where it gives up, mend reads the whole text once more and
// returns an opinion: a value, the edits that lead to it, and for each edit
// whether it can have changed the meaning. An opinion is shown, as a suggestion
// or an alternative; only one whose edits are all safe says the same as its text.
//
// Three rules decide between readings. JSON stays as it is, byte for byte. What
// loses least is preferred: text that is no value becomes a string before it is
// dropped. And what invents least is preferred: a value that is missing is null,
// and a name is never made up.
//
// Nothing is evaluated, nothing recurses, and every byte is looked at a bounded
// number of times: looking ahead ends after a fixed number of bytes, and looking
// for the end of a string that has none draws on a budget.
package mend
