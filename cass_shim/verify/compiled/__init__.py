"""The reference interpreter's fast half: the same meanings compiled for the host, for runs that take long in numpy."""
