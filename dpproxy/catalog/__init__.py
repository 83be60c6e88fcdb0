"""The policy as frozen data: tables, columns, domains, units and links. Pure."""
