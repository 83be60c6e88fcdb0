"""Names with changes under way: whichever of them fail, in whatever order, what is left is what did not fail."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dpproxy.session.pipelined_names import PipelinedNames


@given(st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.integers(0, 3), st.booleans())), st.randoms())
def test_each_failure_takes_back_its_own_change(changes: list[tuple[str, int | None, bool]], random: object) -> None:
    names: PipelinedNames[int] = PipelinedNames(lambda: False)
    undos = []
    for name, value, fails in changes:
        undo = names.put(name, value)
        if fails and undo is not None:
            undos.append(undo)
    random.shuffle(undos)  # type: ignore[attr-defined]
    for undo in undos:
        undo()
    for name in "ab":
        kept = [value for each, value, fails in changes if each == name and not fails]
        assert names.get(name) == (kept[-1] if kept else None)


def test_what_is_settled_is_forgotten() -> None:
    names: PipelinedNames[int] = PipelinedNames(lambda: True)
    for value in range(1000):
        names.put("a", value)
    assert names.get("a") == 999
    change = names._latest["a"]
    assert change.before is not None
    assert change.before.before is None


def test_all_at_once() -> None:
    names: PipelinedNames[int] = PipelinedNames(lambda: False)
    names.put("a", 1)
    names.put("b", 2)
    undo = names.clear()
    assert (names.get("a"), names.get("b")) == (None, None)
    names.put("a", 3)
    undo()
    assert (names.get("a"), names.get("b")) == (3, 2)
