"""One command, one file: read options, call one function, print."""
