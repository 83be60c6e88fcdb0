"""The audit: the whole proxy asked thousands of times on neighbouring databases, and what its answers tell apart.

    policy ─ neighbouring_data ─> rows of ordinary units, and of one target of each kind
           ─ engine_databases ─> neighbouring databases
           ─ audit_proxy ─> one proxy before all of them, with an engine for each analyst (engine_per_analyst)
           ─ asking ─> answers over the wire, of databases drawn by lot, with seconds, and what the ledger charged
           ─ features ─> numbers of an answer ─ events ─> the event that tells the neighbours apart best, chosen on some
             answers and counted in others ─ epsilon_bounds ─> a lower bound on ε with its confidence, beside the charge

Nothing of it knows how answers are made: it sees what an analyst sees, and the ledger. The owner's engine, front and
ledger are never opened; rows come from the policy alone.
"""
