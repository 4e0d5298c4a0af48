"""Hashes of files and folders."""

import hashlib
import json
from pathlib import Path

from ..input.refusal import Refusal

MANIFEST = "manifest.json"


def sha256_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_files(files: dict[str, str]) -> str:
    """Hash over the sorted lines "<name> <sha256>" of files as {name: sha256}."""
    lines = "".join(f"{name} {files[name]}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


def hash_folder(folder: Path, leave_out: tuple[str, ...] = ()) -> dict[str, str]:
    """{name: sha256} of the files directly in a folder, without the names in leave_out."""
    return hash_files(folder, {path.name for path in folder.iterdir()} - {*leave_out})


def hash_files(folder: Path, names: set[str]) -> dict[str, str]:
    """{name: sha256} of the named files that exist. Other files, which a file system may leave there, do not count."""
    return {name: sha256_of_file(folder / name) for name in sorted(names) if (folder / name).is_file()}


def write_manifest(folder: Path) -> str:
    """Writes manifest.json, {"files": {name: {"sha256", "bytes"}}}; returns the folder's hash."""
    files = hash_folder(folder, (MANIFEST,))
    entries = {name: {"sha256": sha, "bytes": (folder / name).stat().st_size} for name, sha in files.items()}
    (folder / MANIFEST).write_text(json.dumps({"files": entries}, indent=1, sort_keys=True) + "\n")
    return sha256_of_files(files)


def read_manifest(folder: Path) -> dict[str, str]:
    """{name: sha256} from the manifest, or of the files themselves if there is no manifest.

    Raises Refusal if a file has another size than in the manifest. The content is not read.
    """
    path = folder / MANIFEST
    if not path.exists():
        return hash_folder(folder)
    entries = json.loads(path.read_text())["files"]
    for name, entry in entries.items():
        file = folder / name
        size = file.stat().st_size if file.is_file() else None
        if size != entry["bytes"]:
            raise Refusal("wrong-base", str(file), f"{entry['bytes']} bytes", "no file" if size is None else size)
    return {name: entry["sha256"] for name, entry in entries.items()}
