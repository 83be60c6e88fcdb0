"""What names give away: tables of people, and columns that tell who somebody is."""

from __future__ import annotations

import re

# Whose privacy it usually is, and one of them. Before the others where a database has several.
_PEOPLE = {
    "person": ("people", "persons", "person", "individuals", "individual", "inhabitants", "citizens", "residents"),
    "patient": ("patients", "patient"),
    "customer": ("customers", "customer", "shoppers", "buyers"),
    "client": ("clients", "client"),
    "member": ("members", "member", "subscribers", "subscriber"),
    "student": ("students", "student", "pupils", "pupil"),
    "household": ("households", "household", "families"),
    "participant": ("participants", "participant", "respondents", "respondent", "subjects"),
    "passenger": ("passengers", "passenger", "riders", "guests", "guest", "visitors", "visitor"),
    "user": ("users", "user", "accounts", "account", "profiles", "profile"),
    "employee": ("employees", "employee", "staff", "workers", "worker", "doctors", "physicians"),
    "company": ("companies", "company", "firms", "firm", "organizations", "organisations"),
}
_SINGULAR = {plural: one for one, plurals in _PEOPLE.items() for plural in plurals}
_RANK = {one: rank for rank, one in enumerate(_PEOPLE)}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# "name" before or after one of these is somebody's.
_WHOSE = _words("""
    first last middle full given family maiden birth sur nick user display legal patient customer client person member
    employee contact student guardian mother father""")
_IDENTITY = _words("""
    email mail phone telephone tel mobile cell fax ssn passport iban bic address street surname lastname firstname
    fullname forename username nickname login password passwd pwd hash secret token ip mac imei vin url homepage avatar
    photo signature nin nhs bsn cpf twitter facebook handle dob birthdate birthday zip zipcode postcode postalcode plz
    lat lon lng latitude longitude""")
_PAY = _words("salary salaries wage wages pay income bonus compensation earnings")
# Who has customers, patients, readers or viewers, and is none of them by that name.
_AT_WORK = {
    "nurse": ("nurses", "nurse"), "doctor": ("doctor", "physician", "surgeons", "surgeon", "providers", "provider"),
    "teacher": ("teachers", "teacher", "instructors", "instructor", "professors", "professor", "lecturers", "tutors"),
    "author": ("authors", "author", "writers", "writer"), "actor": ("actors", "actor", "directors", "director"),
    "artist": ("artists", "artist", "musicians", "musician", "singers", "singer", "composers", "composer"),
    "agent": ("agents", "agent", "advisors", "advisor", "officers", "officer", "clerks", "clerk", "operators"),
    "driver": ("drivers", "driver", "couriers", "courier", "pilots", "pilot", "technicians", "technician"),
    "manager": ("managers", "manager", "supervisors", "supervisor"),
}  # fmt: skip
_WORKER = {plural: one for one, plurals in _AT_WORK.items() for plural in plurals}
_CODES = _words("id key no nr code number rank order version index")
_FREE_TEXT = _words("""
    note notes comment comments remark remarks description body message memo bio biography anamnesis diary transcript
    text freetext narrative feedback""")
_PHRASES = (
    "date of birth", "birth date", "zip code", "post code", "postal code", "social security", "tax id", "tax number",
    "national id", "card number", "account number", "id number",
)  # fmt: skip


def words(name: str) -> list[str]:
    """The words that an identifier is made of: patientId, patient_id and "Patient ID" are patient, id."""
    return re.findall(r"[a-z]+|\d+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).lower())


def whose(table: str) -> str | None:
    """One of those whom a table lists, where its name says that it lists people or their like."""
    said = words(table.rpartition(".")[2])
    return _SINGULAR.get(said[-1]) if said else None


def worker(table: str) -> str | None:
    """One of those whom a table lists, where its name says that it lists people by what they do for others."""
    said = words(table.rpartition(".")[2])
    if said and _SINGULAR.get(said[-1]) == "employee":
        return "employee"
    return _WORKER.get(said[-1]) if said else None


def rank(one: str | None) -> int:
    """The place of a kind of people among those whom databases are about."""
    return len(_RANK) if one is None else _RANK[one]


def singular(table: str) -> str:
    """A word for one of what a table lists."""
    known = whose(table)
    relation = re.sub(r"\W+", "_", table.rpartition(".")[2]).strip("_") or "unit"
    return known or (relation[:-1] if len(relation) > 2 and re.search("[a-rt-z]s$", relation) else relation)


def identifies(name: str) -> bool:
    """Whether a column of that name tells who somebody is, or how to reach them."""
    said = words(name)
    if said in (["name"], ["names"]) or ({"name", "names"} & {*said[:1], *said[-1:]} and _WHOSE & set(said)):
        return True
    return bool(_IDENTITY & set(said)) or any(phrase in " ".join(said) for phrase in _PHRASES)


def is_free_text(name: str) -> bool:
    """Whether a text column of that name holds what somebody wrote, so that hardly two are alike."""
    return bool(_FREE_TEXT & set(words(name)))


def is_pay(name: str) -> bool:
    """Whether a column of that name tells what somebody earns."""
    return bool(_PAY & set(words(name)))


def is_code(name: str) -> bool:
    """Whether a number of that name tells things apart, so that its average says nothing."""
    return bool(_CODES & set(words(name)))


def a(one: str) -> str:
    """The word with its article."""
    return f"{'an' if one[:1].lower() in 'aeio' else 'a'} {one}"


def any_of(names: tuple[str, ...]) -> str:
    """Each with its article: a customer, a supplier or an employee."""
    return " or ".join(filter(None, (", ".join(map(a, names[:-1])), a(names[-1]))))
