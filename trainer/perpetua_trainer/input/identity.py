"""Hash of a batch. A step's key stands for one batch, and this hash identifies it."""

import json
from hashlib import sha256

from ..batch import Batch, Folder
from .refusal import Refusal


def sha256_of_batch(batch: Batch) -> str:
    """Hash over all values of a batch, in one form. Paths of folders are left out: a moved folder is the same one."""
    text = json.dumps(batch, default=fields, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def fields(value: object) -> dict:
    """Fields of a dataclass of a batch, for JSON. A missing entropy mask is left out, as in hashes of version 0.2."""
    if isinstance(value, Folder):
        return {"sha256": value.sha256}
    return {name: item for name, item in vars(value).items() if name != "entropy_mask" or item is not None}


def check_same(result: dict, batch: Batch) -> None:
    """Raises Refusal if the result, which has the batch's key, is of another batch."""
    stored, requested = result.get("batch"), sha256_of_batch(batch)
    if stored != requested:
        expected = f"a new key, since this key belongs to the finished batch {stored}"
        raise Refusal("other-batch", "stepKey", expected, f"the batch {requested}")
