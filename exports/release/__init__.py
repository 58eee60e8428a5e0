"""The folder of a release: its raw files, everything that is computed from them, and the proof that it was."""

from exports.privacy import ForbiddenString, find_identities
from exports.release.folder import (
    ReleaseFolder,
    build_release_folder,
    list_released_files,
    write_release_folder,
)
from exports.release.verification import Verification, verify_folder

__all__ = [
    "ForbiddenString",
    "ReleaseFolder",
    "Verification",
    "build_release_folder",
    "find_identities",
    "list_released_files",
    "verify_folder",
    "write_release_folder",
]
