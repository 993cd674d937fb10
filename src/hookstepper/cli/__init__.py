"""The command line: what is typed, what is printed, how it exits."""
