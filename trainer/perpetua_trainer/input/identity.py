"""The hash of a batch: what its step's key stands for."""

import json
from hashlib import sha256

from ..batch import Batch, Folder
from .refusal import Refusal


def sha256_of_batch(batch: Batch) -> str:
    """Over all that was read, in one form, without the places of folders: a moved folder has the same content."""
    text = json.dumps(batch, default=fields, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def fields(one: object) -> dict:
    return {"sha256": one.sha256} if isinstance(one, Folder) else vars(one)


def check_same(result: dict, batch: Batch) -> None:
    """Raises Refusal where the result that a key has is of another batch."""
    stored, asked = result.get("batch"), sha256_of_batch(batch)
    if stored != asked:
        expected = f"a key of its own, since this one is done with the batch {stored}"
        raise Refusal("other-batch", "stepKey", expected, f"the batch {asked}")
