"""Keys: which ones a policy claims, what keeps each of them unique and not null, and what follows where nothing does.

key_claims            the keys that a policy names, and where it names them
verification_record   what `dpproxy check --data` verified on the rows of one file, written down beside the policy
key_guarantees        a constraint, a record of this very file, or nothing; faults and warnings

No row is read here. Whether a policy is served, and with which keys, is a function of the policy, of the engine's
schema, and of whether the file is the one that was looked at.
"""

from dpproxy.keys.key_claims import Key, claims, unit_key, way_key
from dpproxy.keys.key_guarantees import KeyGuarantee, KeyGuarantees, guarantees_of, key_warnings, link_faults
from dpproxy.keys.verification_record import VerificationRecord, read_record, write_record

__all__ = [
    "Key",
    "KeyGuarantee",
    "KeyGuarantees",
    "VerificationRecord",
    "claims",
    "guarantees_of",
    "key_warnings",
    "link_faults",
    "read_record",
    "unit_key",
    "way_key",
    "write_record",
]
