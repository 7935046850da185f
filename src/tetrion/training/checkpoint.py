"""Checkpoint files: the state from which a run is resumed, as plain arrays with a checksum.

A checkpoint is an .npz file without compression. Its archive comment has a checksum of all other bytes, so that a
damaged file is recognised before any part of it is used. The last two states are kept in two files, so that at least
one is complete at any moment.
"""

import hashlib
import io
import math
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, read_data_file
from tetrion.errors import RunError
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays

CHECKPOINT_FILE = "checkpoint.npz"
PREVIOUS_CHECKPOINT_FILE = "checkpoint.before.npz"
CHECKPOINT_FILES = (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE)  # in the order in which they are tried
CHECKPOINT_FORMAT = 2
_FORMAT_WITHOUT_CHECKSUM = 1  # with the complete history of the run; still read
_FORMAT_ARRAY = "format"
_PARTIAL_CHECKPOINT_FILE = ".checkpoint.npz.part"
_MAX_CHECKPOINT_BYTES = 256_000_000  # a population of 100,000 candidates with 60 parameters takes 100,000,000
_MAX_ARRAYS = 200
_MAX_HEADER_SIZE = 1000  # characters that describe the type and shape of an array
_NUMBER_KINDS = "biuf"  # booleans, integers and floats; beside texts, but no objects, which would need pickle
_MAX_NUMBER_BYTES = 8  # longer floats are other numbers on other machines, and linear algebra does not support them
_CHECKSUM_LABEL = b"sha256:"
_CHECKSUM_LENGTH = len(_CHECKSUM_LABEL) + hashlib.sha256().digest_size * 2
_ENCRYPTED_FLAG = 1
# What the standard library and NumPy raise for damaged archives and arrays.
_DAMAGE_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    OSError,
    ArithmeticError,
    RuntimeError,
    MemoryError,
    SyntaxError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def write_checkpoint(folder: Path, state: StateArrays) -> None:
    """Write a state, and keep the previous one in a second file."""
    path = folder / CHECKPOINT_FILE
    partial = folder / _PARTIAL_CHECKPOINT_FILE
    write_checkpoint_file(partial, state)
    if path.exists():
        path.replace(folder / PREVIOUS_CHECKPOINT_FILE)
    partial.replace(path)


def write_checkpoint_file(path: Path, state: StateArrays) -> None:
    """Write a state to a file; equal states give equal bytes."""
    write_atomically(path, encode_checkpoint(state), durable=True)


def encode_checkpoint(state: StateArrays) -> bytes:
    """Return the content of the checkpoint file of a state."""
    buffer = io.BytesIO()
    np.savez(buffer, **(state | {_FORMAT_ARRAY: np.array(CHECKPOINT_FORMAT)}))
    # The last two bytes of an archive without a comment are the length of the comment.
    content = buffer.getvalue()[:-2] + struct.pack("<H", _CHECKSUM_LENGTH)
    return content + compute_checksum(content)


def compute_checksum(content: bytes) -> bytes:
    """Return the archive comment for the bytes before it."""
    return _CHECKSUM_LABEL + hashlib.sha256(content).hexdigest().encode()


def read_checkpoint_file(path: Path) -> StateArrays:
    """Return the arrays of a checkpoint file; raise RunError with the rest of a sentence if it cannot be read."""
    try:
        content = read_data_file(path, _MAX_CHECKPOINT_BYTES)
    except FileNotFoundError:
        raise RunError("is missing") from None
    except DataFileError as error:
        raise RunError(f"cannot be read: {str(error).rstrip('.')}") from None
    archive, checksum = content[:-_CHECKSUM_LENGTH], content[-_CHECKSUM_LENGTH:]
    has_checksum = checksum.startswith(_CHECKSUM_LABEL)
    if has_checksum and checksum != compute_checksum(archive):
        raise RunError("is damaged")
    try:
        state = read_arrays(content)
        version = int(state.pop(_FORMAT_ARRAY))
    except _DAMAGE_ERRORS:
        raise RunError("is damaged") from None
    if version not in (CHECKPOINT_FORMAT, _FORMAT_WITHOUT_CHECKSUM):
        raise RunError("was written by another version of Tetrion")
    if version == CHECKPOINT_FORMAT and not has_checksum:
        raise RunError("is damaged")
    return state


def read_arrays(content: bytes) -> StateArrays:
    """Return the arrays of an .npz file without compression; raise an error if they need more memory than the file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if len(members) > _MAX_ARRAYS or sum(member.file_size for member in members) > len(content):
            raise ValueError("the arrays are larger than the file")
        for member in members:
            if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & _ENCRYPTED_FLAG:
                raise ValueError("an array is compressed or encrypted")
        return {member.filename.removesuffix(".npy"): read_array(archive.read(member)) for member in members}


def read_array(content: bytes) -> NumpyArray:
    """Return the array of an .npy file; its type and shape must agree with the number of bytes."""
    file = io.BytesIO(content)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("the array has another version")
    shape, is_fortran, kind = np.lib.format.read_array_header_1_0(file, max_header_size=_MAX_HEADER_SIZE)
    size = len(content) - file.tell()
    is_known = kind.kind == "U" or (kind.kind in _NUMBER_KINDS and kind.itemsize <= _MAX_NUMBER_BYTES)
    if not is_known or not kind.itemsize or math.prod(shape) * kind.itemsize != size:
        raise ValueError("the type or the shape of the array does not match its size")
    array = np.ndarray(shape, kind, content, file.tell(), order="F" if is_fortran else "C")
    return array.astype(kind.newbyteorder("="))
