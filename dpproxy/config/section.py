"""What all sections of a configuration have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Any section: no unknown keys, and nothing changes after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
