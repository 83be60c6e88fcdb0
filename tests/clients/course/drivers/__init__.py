"""A module is one client, or one family of them; its CLIENTS are what it has."""
