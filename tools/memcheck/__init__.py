"""`python3 -m tools.memcheck`: what runs in a program's process, under valgrind's memcheck."""
