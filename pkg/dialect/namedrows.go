package dialect

var namedDialects []Dialect
