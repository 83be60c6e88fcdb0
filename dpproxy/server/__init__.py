"""Sockets, tasks, signals and time: everything around sessions that is IO.

listening   proxy, handshake, startup_settings, scram, byte_stream; unauthenticated, logins, memory_limits: how many
a session   client_sessions (its two connections), front_connections, session_metrics, statement_shapes
beneath     services (all that sessions are served from), front_supervisor, database_separation, chain_head_file,
            policy_terms
operating   lifecycle, reload, systemd, operator_port, health, health_checks, gauges, metrics, logs
"""
