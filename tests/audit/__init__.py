"""The audit, audited: its statistics, its neighbours, faults that it must find, statements that it must not accuse."""
