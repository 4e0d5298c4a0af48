"""Requests that wait at the same time, sampled in as few batches as their versions allow."""

from dataclasses import dataclass

from .engine import Engine, outcome_of
from .sample import Row, sample
from .tokens import Tokens
from .versions import Versions


@dataclass(frozen=True)
class Ask:
    """The samples of one request: rows of one prompt."""

    model: str
    rows: list[Row]


class Together:
    """most: rows of a batch; what is above waits for the next one."""

    def __init__(self, versions: Versions, tokens: Tokens, most: int):
        self.versions = versions
        self.tokens = tokens
        self.most = most
        self.engine = Engine(self.run)

    def run(self, asks: list[Ask]) -> list:
        """For each ask its policy version's id, or the exception that ended it."""
        found = [outcome_of(lambda name=ask.model: self.versions.find(name)) for ask in asks]
        outcomes = list(found)
        for version in dict.fromkeys(one for one in found if not isinstance(one, Exception)):
            places = [place for place, one in enumerate(found) if one == version]
            rows = [row for place in places for row in asks[place].rows]
            outcome = outcome_of(lambda version=version, rows=rows: self.sample(version, rows))
            for place in places:
                outcomes[place] = outcome
        return outcomes

    def sample(self, version, rows: list[Row]) -> str:
        # Rows of one prompt lie side by side, so that few batches prefill it.
        ordered = sorted(rows, key=lambda row: row.prompt)
        with self.versions.using(version) as model:
            for start in range(0, len(ordered), self.most):
                sample(model, ordered[start : start + self.most], self.finish_of)
        return version.id

    def finish_of(self, row: Row) -> str | None:
        self.engine.check()
        if row.tokens[-1] in self.tokens.ends:
            return "stop"
        if row.stops and any(stop in self.tokens.text(row.tokens) for stop in row.stops):
            return "stop"
        return "length" if len(row.tokens) >= row.most else None
