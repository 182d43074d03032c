"""`python3 -m tools.forks`: forks at bad moments (`__main__.py`)."""
