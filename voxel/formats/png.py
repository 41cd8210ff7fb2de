# SPDX-License-Identifier: GPL-3.0-or-later
"""PNG images as numpy arrays: a bounded reader of every kind of PNG, and a small writer.

The reader keeps every bit of 16-bit images and needs no Blender. Sizes are judged from the header before
anything is decompressed; then a strip of rows at a time is decompressed, unfiltered and written into the image,
so that a file can make it take no more memory than the image that its header promises.
Specification: https://www.w3.org/TR/png-3/
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import VoxelwrightError
from ..kernels import kernel
from ..limits import MAX_IMAGE_BYTES, MAX_IMAGE_EDGE, MAX_PNG_CHUNKS

SIGNATURE = b"\x89PNG\r\n\x1a\n"

GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
_CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
_BIT_DEPTHS = {GREY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GREY_ALPHA: (8, 16), RGB_ALPHA: (8, 16)}

Samples = NDArray[np.uint8 | np.uint16]
"""An array of samples, uint8 or uint16."""

_NO_FILTER, _SUB, _UP, _AVERAGE, _PAETH = range(5)

_WHOLE = ((0, 0, 1, 1),)
_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""The passes of an image: first column, first row, and the steps along both."""

_STRIP_BYTES = 1 << 20
_PIECE_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class PngHeader:
    """What a PNG says about itself. Width and height are in pixels; bit_depth is that of a stored sample."""

    width: int
    height: int
    bit_depth: int
    color_type: int
    interlaced: bool

    @property
    def stored_channels(self) -> int:
        """Samples a pixel as stored: 1 for a palette index."""
        return _CHANNELS[self.color_type]

    @property
    def channels(self) -> int:
        """Samples a pixel as read: 3 for a palette image."""
        return 3 if self.color_type == PALETTE else self.stored_channels

    @property
    def decoded_bytes(self) -> int:
        """Bytes of the image as read."""
        return self.width * self.height * self.channels * (2 if self.bit_depth == 16 else 1)


@dataclass(frozen=True, slots=True)
class Image:
    """A decoded image.

    samples (height, width, channels) uint8, or uint16 for a bit depth of 16; row 0 is the top. The channels are
    grey, grey and alpha, RGB, or RGB and alpha. Grey of 1, 2 and 4 bits is spread over 0 … 255.
    """

    header: PngHeader
    samples: Samples


def read_png_header(data: bytes) -> PngHeader:
    """The header of a PNG file, at the cost of its first 33 bytes.

    Raises VoxelwrightError where data is no PNG, or where the image is larger than MAX_IMAGE_EDGE or
    MAX_IMAGE_BYTES (limits.py).
    """
    kind, body = next(_chunks(data))
    if kind != b"IHDR" or len(body) != 13:
        raise _damaged("it does not start with a header")
    width, height, bit_depth, color_type, compression, filtering, interlacing = struct.unpack(">IIBBBBB", body)
    if width == 0 or height == 0:
        raise _damaged("its width or height is 0")
    if bit_depth not in _BIT_DEPTHS.get(color_type, ()):
        raise _damaged(f"there is no colour type {color_type} with {bit_depth} bits")
    if compression != 0 or filtering != 0 or interlacing > 1:
        raise _damaged("its header asks for an unknown compression, filter or interlacing")
    header = PngHeader(width, height, bit_depth, color_type, interlacing == 1)
    if max(width, height) > MAX_IMAGE_EDGE:
        raise VoxelwrightError(
            f"The image has {width} × {height} pixels, and at most {MAX_IMAGE_EDGE} a side are read; scale it down."
        )
    if header.decoded_bytes > MAX_IMAGE_BYTES:
        mebibytes = -(-header.decoded_bytes >> 20)
        raise VoxelwrightError(
            f"The image of {width} × {height} pixels takes {mebibytes} MiB when decoded, and at most "
            f"{MAX_IMAGE_BYTES >> 20} MiB are read; scale it down or save it with fewer channels."
        )
    return header


def read_png(data: bytes) -> Image:
    """Decode a PNG file: every colour type, bit depth and filter, interlaced or not.

    Transparency other than an alpha channel (tRNS), colour spaces, texts and other ancillary chunks are passed
    over. Raises VoxelwrightError where data is no PNG, is damaged, or is larger than the limits.
    """
    header = read_png_header(data)
    palette, compressed = _collect(data, header)
    dtype = np.uint16 if header.bit_depth == 16 else np.uint8
    samples = np.empty((header.height, header.width, header.channels), dtype)
    stream = _Inflater(compressed)
    for column, row, column_step, row_step in _ADAM7 if header.interlaced else _WHOLE:
        target = samples[row::row_step, column::column_step]
        if target.size:
            _read_pass(stream, header, palette, target)
    stream.finish()
    return Image(header, samples)


def _damaged(why: str) -> VoxelwrightError:
    return VoxelwrightError(f"The PNG image is damaged ({why}); copy or export it again.")


# --- Chunks ---------------------------------------------------------------------------------------------------


def _chunks(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    """(type, content) of each chunk up to and with IEND, checksums verified."""
    if not data.startswith(SIGNATURE):
        raise VoxelwrightError("This file is not a PNG image, whatever its name says; export the image as PNG.")
    view = memoryview(data)
    start = len(SIGNATURE)
    for _ in range(MAX_PNG_CHUNKS):
        if len(data) - start < 12:
            raise _damaged("it is cut short")
        length, kind = struct.unpack_from(">I4s", data, start)
        if not (kind.isalpha() and kind.isascii()):
            raise _damaged("a chunk has an impossible name")
        if length > len(data) - start - 12:
            raise _damaged("it is cut short")
        end = start + 8 + length
        if zlib.crc32(view[start + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            raise _damaged(f"the checksum of its {kind.decode()} chunk is wrong")
        yield kind, view[start + 8 : end]
        if kind == b"IEND":
            return
        start = end + 4
    raise _damaged(f"it has more than {MAX_PNG_CHUNKS} chunks")


def _collect(data: bytes, header: PngHeader) -> tuple[NDArray[np.uint8] | None, list[memoryview]]:
    """The palette, (n, 3) uint8, where the image needs one, and the compressed data in its pieces."""
    palette: NDArray[np.uint8] | None = None
    compressed: list[memoryview] = []
    chunks = _chunks(data)
    next(chunks)
    for kind, body in chunks:
        if kind == b"IDAT":
            compressed.append(body)
        elif kind == b"PLTE":
            if palette is not None or compressed or len(body) % 3 or not 3 <= len(body) <= 768:
                raise _damaged("its palette is wrong")
            palette = np.frombuffer(body, np.uint8).reshape(-1, 3)
        elif kind[:1].isupper() and kind != b"IEND":
            raise _damaged(f"it has an unexpected {kind.decode()} chunk")
    if header.color_type != PALETTE:
        return None, compressed
    if palette is None:
        raise _damaged("its palette is missing")
    return palette, compressed


class _Inflater:
    """The decompressed bytes of a zlib stream in pieces, never more of them than asked for."""

    def __init__(self, compressed: list[memoryview]) -> None:
        # What zlib has not consumed is copied at each call, so it is handed little at a time.
        self._pieces = (c[i : i + _PIECE_BYTES] for c in compressed for i in range(0, len(c), _PIECE_BYTES))
        self._zlib = zlib.decompressobj()

    def _some(self, n: int) -> Iterator[bytes]:
        """Up to n bytes (n > 0), in parts that may be empty; ends early only at the end of the stream or the file."""
        while n and not self._zlib.eof:
            source = self._zlib.unconsumed_tail or next(self._pieces, b"")
            try:
                part = self._zlib.decompress(source, n)
            except zlib.error:
                raise _damaged("its compressed data cannot be read") from None
            if not part and not source:
                return
            n -= len(part)
            yield part

    def read(self, n: int) -> bytes:
        """The next n bytes, n > 0."""
        data = b"".join(self._some(n))
        if len(data) != n:
            raise _damaged("it holds fewer pixels than its header says")
        return data

    def finish(self) -> None:
        """Make sure that the stream ends here, its checksum included."""
        if any(self._some(1)):
            raise _damaged("it holds more pixels than its header says")
        if not self._zlib.eof:
            raise _damaged("its compressed data is cut short")


# --- Pixels ---------------------------------------------------------------------------------------------------


def _read_pass(
    stream: _Inflater,
    header: PngHeader,
    palette: NDArray[np.uint8] | None,
    target: Samples,
) -> None:
    """Decode one pass into target (rows, columns, channels), a view of the image."""
    n_rows, n_columns = target.shape[:2]
    pixel_bits = header.stored_channels * header.bit_depth
    row_bytes = 1 + (n_columns * pixel_bits + 7) // 8
    strip_rows = max(1, _STRIP_BYTES // row_bytes)
    above = np.zeros((1, row_bytes), np.uint8)
    for start in range(0, n_rows, strip_rows):
        n = min(strip_rows, n_rows - start)
        strip = np.frombuffer(stream.read(n * row_bytes), np.uint8).reshape(n, row_bytes)
        if strip[:, 0].max() > _PAETH:
            raise _damaged(f"a row has the unknown filter {strip[:, 0].max()}")
        rows = np.concatenate([above, strip])
        _unfilter(rows, max(1, pixel_bits // 8))
        above = rows[-1:]
        target[start : start + n] = _pixels(rows[1:, 1:], header, palette, n_columns)


def _pixels(rows: NDArray[np.uint8], header: PngHeader, palette: NDArray[np.uint8] | None, n_columns: int) -> Samples:
    """(n, columns, channels) pixels from (n, bytes) unfiltered rows."""
    depth = header.bit_depth
    if depth == 16:
        samples: Samples = np.ascontiguousarray(rows).view(">u2").astype(np.uint16)
    elif depth == 8:
        samples = rows
    else:
        shifts = np.arange(8 - depth, -1, -depth, dtype=np.uint8)
        samples = (rows[:, :, None] >> shifts & np.uint8((1 << depth) - 1)).reshape(len(rows), -1)[:, :n_columns]
        if palette is None:
            samples = samples * np.uint8(255 // ((1 << depth) - 1))
    if palette is None:
        return samples.reshape(len(rows), n_columns, header.channels)
    if samples.max() >= len(palette):
        raise _damaged("a pixel has a colour beyond its palette")
    return palette[samples]


@kernel
def _paeth(left, up, corner):
    """Whichever is nearest to left + up - corner; of equally near ones the first."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner


@kernel
def _unfilter(rows, pixel_bytes):
    """Undo the filters of rows (n, 1 + bytes) uint8 in place. Column 0 holds each row's filter, 0 … 4; row 0 is
    the row above, already plain."""
    n_columns = rows.shape[1]
    for r in range(1, rows.shape[0]):
        filter_type = rows[r, 0]
        first = 1 + pixel_bytes
        if filter_type == _SUB:
            for i in range(first, n_columns):
                rows[r, i] += rows[r, i - pixel_bytes]
        elif filter_type == _UP:
            for i in range(1, n_columns):
                rows[r, i] += rows[r - 1, i]
        elif filter_type == _AVERAGE:
            for i in range(1, n_columns):
                left = np.int64(rows[r, i - pixel_bytes]) if i >= first else 0
                rows[r, i] += np.uint8((left + np.int64(rows[r - 1, i])) >> 1)
        elif filter_type == _PAETH:
            for i in range(1, n_columns):
                up = np.int64(rows[r - 1, i])
                left = np.int64(rows[r, i - pixel_bytes]) if i >= first else 0
                corner = np.int64(rows[r - 1, i - pixel_bytes]) if i >= first else 0
                rows[r, i] += np.uint8(_paeth(left, up, corner))


# --- Writing --------------------------------------------------------------------------------------------------


def write_png(image: Samples) -> bytes:
    """A PNG file of an image whose row 0 is the top: (height, width) uint8 or uint16 grey, (height, width, 3)
    uint8 RGB, or (height, width, 4) uint8 RGB and alpha (straight, not premultiplied)."""
    color_type = {(): GREY, (3,): RGB, (4,): RGB_ALPHA}.get(image.shape[2:])
    wide = image.dtype == np.uint16 and color_type == GREY
    if image.ndim < 2 or image.size == 0 or color_type is None or not (wide or image.dtype == np.uint8):
        raise ValueError(f"no PNG is written from an image of shape {image.shape} and type {image.dtype}")
    height, width = image.shape[:2]
    pixel_bytes = 2 if wide else _CHANNELS[color_type]
    header = struct.pack(">IIBBBBB", width, height, 16 if wide else 8, color_type, 0, 0, 0)
    packer = zlib.compressobj(6)
    packed = []
    strip_rows = max(1, _STRIP_BYTES // (width * pixel_bytes))
    above = np.zeros((1, width * pixel_bytes), np.uint8)
    for start in range(0, height, strip_rows):
        strip = np.ascontiguousarray(image[start : start + strip_rows].astype(">u2" if wide else np.uint8))
        rows = np.concatenate([above, strip.view(np.uint8).reshape(len(strip), -1)])
        packed.append(packer.compress(_filtered(rows, pixel_bytes).tobytes()))
        above = rows[-1:]
    packed.append(packer.flush())
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", b"".join(packed)) + _chunk(b"IEND", b"")


def _filtered(rows: NDArray[np.uint8], pixel_bytes: int) -> NDArray[np.uint8]:
    """Rows 1 … of rows, each filtered by Sub or Up, whichever leaves the smaller differences."""
    sub, up = rows[1:].copy(), rows[1:] - rows[:-1]
    sub[:, pixel_bytes:] -= rows[1:, :-pixel_bytes]
    sub_size, up_size = (np.minimum(d, -d).sum(axis=1, keepdims=True, dtype=np.int64) for d in (sub, up))
    use_up = up_size <= sub_size
    return np.concatenate([np.where(use_up, np.uint8(_UP), np.uint8(_SUB)), np.where(use_up, up, sub)], axis=1)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
