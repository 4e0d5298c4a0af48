"""Sampling for requests that wait at the same time, in as few batches as their policy versions allow."""

from dataclasses import dataclass

from .engine import Engine, outcome_of
from .sample import Row, sample
from .tokens import Tokens
from .versions import Versions


@dataclass(frozen=True)
class SampleRequest:
    """Samples of one request: rows of one prompt, and the name of their policy version."""

    model: str
    rows: list[Row]


class Together:
    """Sampler for several requests. max_rows: rows of a batch; further rows wait for the next batch."""

    def __init__(self, versions: Versions, tokens: Tokens, max_rows: int):
        self.versions = versions
        self.tokens = tokens
        self.max_rows = max_rows
        self.engine = Engine(self.run)

    def run(self, requests: list[SampleRequest]) -> list:
        """Samples all rows, in place; returns for each request the id of its policy version, or its exception."""
        found = [outcome_of(lambda name=request.model: self.versions.find(name)) for request in requests]
        outcomes = list(found)
        for version in dict.fromkeys(one for one in found if not isinstance(one, Exception)):
            places = [place for place, other in enumerate(found) if other == version]
            rows = [row for place in places for row in requests[place].rows]
            outcome = outcome_of(lambda version=version, rows=rows: self.sample(version, rows))
            for place in places:
                outcomes[place] = outcome
        return outcomes

    def sample(self, version, rows: list[Row]) -> str:
        """Samples rows of one version, in place; returns its id. Raises Problem if the server ends."""
        # Sorting puts rows of one prompt side by side, so that few batches prefill it.
        ordered = sorted(rows, key=lambda row: row.prompt)
        with self.versions.using(version) as model:
            for start in range(0, len(ordered), self.max_rows):
                sample(model, ordered[start : start + self.max_rows], self.finish_of)
        return version.id

    def finish_of(self, row: Row) -> str | None:
        """Reason to end a row after its last token; None to continue. Raises Problem if the server ends."""
        self.engine.check()
        if row.tokens[-1] in self.tokens.ends:
            return "stop"
        if row.stops and any(stop in self.tokens.text(row.tokens) for stop in row.stops):
            return "stop"
        return "length" if len(row.tokens) >= row.max_tokens else None
