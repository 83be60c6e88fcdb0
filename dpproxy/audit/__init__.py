"""The audit: the whole proxy asked thousands of times on neighbouring databases, and what its answers tell apart.

    policy ─ world ─> rows of ordinary units, and of one target of each kind ─ databases ─> neighbouring databases
           ─ stands ─> a proxy of its own before each ─ asking ─> answers over the wire, and what the ledger charged
           ─ features ─> numbers of an answer ─ events ─> the event that tells the neighbours apart best, chosen on some
             answers and counted in others ─ bounds ─> a lower bound on ε with its confidence, beside the charge

Nothing of it knows how answers are made: it sees what an analyst sees, and the ledger. The owner's engine, front and
ledger are never opened; rows come from the policy alone.
"""
