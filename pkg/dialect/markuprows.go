package dialect

var markupDialects []Dialect
