"""The front: a Postgres that holds no private row, embedded or given.

where it is    front_address, encryption, given_front
embedded       embedded_front, front_directory, directory_lock, server_process, orphans, binaries, disk_reserve
what is in it  schema, migrations, medians, error_bars, stubs, comments, dp_stubs, roles, public_tables
who sees what  backstop, lockdown, unlocked_names, hidden_statistics, guarded_functions, printing_settings
"""
