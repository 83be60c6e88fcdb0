"""The whole way, seen by real clients: the proxy in a process of its own, psql and the drivers in front of it."""
