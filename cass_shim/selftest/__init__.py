"""`cass selftest`: recorded vectors, example programs and launch times on one device, as a report to share."""
