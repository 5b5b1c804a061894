"""Published likelihoods from HEPData (requests must be installed).

download("https://doi.org/10.17182/hepdata.90607.v3/r3", "1Lbb-likelihoods")
"""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from ..exceptions import InvalidArchive, InvalidArchiveHost

__all__ = ["download"]

_HOSTS = ("www.hepdata.net", "doi.org")


def __dir__() -> list[str]:
    return __all__


def download(
    archive_url: str, output_directory: str | Path, force: bool = False, compress: bool = False
) -> None:
    """Downloads an archive and unpacks it into a folder. compress: keep it packed, as the file `output_directory`.

    HEPData's own URLs and DOIs are trusted; force=True allows others.
    """
    _check_host(archive_url, force)
    content = _content(archive_url)
    folder = Path(output_directory)
    if compress:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_bytes(content)
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as unpacked:
        _unpack(io.BytesIO(content), Path(unpacked), archive_url)
        for entry in _inner(Path(unpacked), content).iterdir():
            _replace(folder / entry.name, entry)


def _check_host(archive_url: str, force: bool) -> None:
    host = urlparse(archive_url).netloc
    if force or host in _HOSTS:
        return
    raise InvalidArchiveHost(
        f"{host} is not an approved archive host; approved are {', '.join(_HOSTS)}. If you trust it: force=True, or --force."
    )


def _content(archive_url: str) -> bytes:
    try:
        import requests
    except ImportError as error:
        raise ImportError(
            "downloads need the package requests: python -m pip install requests"
        ) from error
    # Without this header, a DOI gives its web page instead of its file.
    wanted = {"Accept": "application/x-tar, application/zip"}
    response: Any = requests.get(archive_url, headers=wanted, timeout=60)
    if response.status_code != 200:
        raise InvalidArchive(
            f"{archive_url} gives a response code of {response.status_code}, no archive: {response.reason or 'no reason given'}"
        )
    content: bytes = response.content
    return content


def _unpack(archive: io.BytesIO, folder: Path, archive_url: str) -> None:
    try:
        with tarfile.open(fileobj=archive, mode="r:*") as tar:
            if hasattr(tarfile, "data_filter"):
                tar.extractall(folder, filter="data")
            else:
                tar.extractall(folder, [member for member in tar.getmembers() if _is_inside(member, folder)])
            return
    except tarfile.ReadError:
        archive.seek(0)
    if not zipfile.is_zipfile(archive):
        raise InvalidArchive(f"What {archive_url} gives is neither a tar file nor a zip file.")
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)


def _is_inside(member: tarfile.TarInfo, folder: Path) -> bool:
    """True for a file or folder inside `folder`; for Python versions without tarfile's own filters."""
    place = (folder / member.name).resolve()
    return (member.isfile() or member.isdir()) and place.is_relative_to(folder.resolve())


def _replace(old: Path, new: Path) -> None:
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old)
    else:
        old.unlink(missing_ok=True)
    shutil.move(new, old)


def _inner(folder: Path, content: bytes) -> Path:
    """The folder whose content to keep: for a zip file with a single folder, that folder."""
    shutil.rmtree(folder / "__MACOSX", ignore_errors=True)  # macOS adds this to zip files
    entries = list(folder.iterdir())
    is_zip = zipfile.is_zipfile(io.BytesIO(content)) and not tarfile.is_tarfile(io.BytesIO(content))
    return entries[0] if is_zip and len(entries) == 1 and entries[0].is_dir() else folder
