"""A fuzzer over every command: valid small calls, their files and options spoilt, and what must never come of it."""
