"""The drivers' own test-suites, run against the proxy: `python tests/suites`."""
