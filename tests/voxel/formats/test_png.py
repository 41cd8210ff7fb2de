# SPDX-License-Identifier: GPL-3.0-or-later
"""The PNG reader and writer, held to a slow plain encoder and decoder of the specification."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxelwright.voxel.errors import VoxelwrightError
from voxelwright.voxel.formats import png
from voxelwright.voxel.formats.png import Image, read_png, read_png_header, write_png
from voxelwright.voxel.limits import MAX_PNG_CHUNKS

KINDS = [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8)]
KINDS += [(4, 8), (4, 16), (6, 8), (6, 16)]
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = [
    # From the specification's picture of an 8 × 8 tile: the pass in which each pixel comes.
    [1, 6, 4, 6, 2, 6, 4, 6],
    [7, 7, 7, 7, 7, 7, 7, 7],
    [5, 6, 5, 6, 5, 6, 5, 6],
    [7, 7, 7, 7, 7, 7, 7, 7],
    [3, 6, 4, 6, 3, 6, 4, 6],
    [7, 7, 7, 7, 7, 7, 7, 7],
    [5, 6, 5, 6, 5, 6, 5, 6],
    [7, 7, 7, 7, 7, 7, 7, 7],
]


# --- A slow reference -----------------------------------------------------------------------------------------


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header_chunk(width, height, depth=8, color_type=0, interlaced=0, compression=0, filtering=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color_type, compression, filtering, interlaced))


def file_of(*chunks):
    return png.SIGNATURE + b"".join(chunks) + chunk(b"IEND", b"")


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def predictor(filter_type, left, up, corner):
    return [0, left, up, (left + up) // 2, paeth(left, up, corner)][filter_type]


def row_bytes(pixels, depth):
    """The bytes of a row of pixels, each a list of samples."""
    bits = "".join(format(sample, f"0{depth}b") for pixel in pixels for sample in pixel)
    bits += "0" * (-len(bits) % 8)
    return [int(bits[i : i + 8], 2) for i in range(0, len(bits), 8)]


def filtered_rows(rows, pixel_bytes, filters):
    out, above = b"", None
    for row in rows:
        above = above or [0] * len(row)
        f = next(filters)
        line = [f]
        for i, value in enumerate(row):
            left, corner = (row[i - pixel_bytes], above[i - pixel_bytes]) if i >= pixel_bytes else (0, 0)
            line.append((value - predictor(f, left, above[i], corner)) % 256)
        out += bytes(line)
        above = row
    return out


def encode(samples, color_type, depth, *, interlaced=False, filters=(0, 1, 2, 3, 4), palette=None, n_idat=1):
    """A PNG of samples (h, w, c) of the stored depth, its rows filtered by turns."""
    height, width, _ = samples.shape
    pixels = samples.tolist()
    turns = iter(filters[i % len(filters)] for i in range(100_000))
    pixel_bytes = max(1, CHANNELS[color_type] * depth // 8)
    raw = b""
    for number in range(1, 8) if interlaced else [0]:
        rows = []
        for y in range(height):
            row = [pixels[y][x] for x in range(width) if not interlaced or ADAM7[y % 8][x % 8] == number]
            if row:
                rows.append(row_bytes(row, depth))
        raw += filtered_rows(rows, pixel_bytes, turns)
    packed = zlib.compress(raw)
    step = -(-len(packed) // n_idat)
    parts = [chunk(b"IDAT", packed[i : i + step]) for i in range(0, len(packed), step)]
    colors = [] if palette is None else [chunk(b"PLTE", palette.astype(np.uint8).tobytes())]
    extra = chunk(b"tEXt", b"Comment\0passed over")
    return file_of(header_chunk(width, height, depth, color_type, int(interlaced)), extra, *colors, *parts)


def decode_grey_or_color(data):
    """The pixel bytes of a non-interlaced file of 8 or 16 bits, and its filters, by the letter of the specification."""
    width, height, depth, color_type = struct.unpack(">IIBB", data[16:26])
    at, packed, pixel_bytes = 8, b"", CHANNELS[color_type] * depth // 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        assert zlib.crc32(data[at + 4 : at + 8 + length]) == struct.unpack(">I", data[at + 8 + length :][:4])[0]
        packed += data[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, n = zlib.decompress(packed), width * pixel_bytes
    above, out, filters = [0] * n, [], []
    for y in range(height):
        line, row = raw[y * (n + 1) : (y + 1) * (n + 1)], []
        for i, value in enumerate(line[1:]):
            left, corner = (row[i - pixel_bytes], above[i - pixel_bytes]) if i >= pixel_bytes else (0, 0)
            row.append((value + predictor(line[0], left, above[i], corner)) % 256)
        filters.append(line[0])
        out.append(row)
        above = row
    return np.array(out, np.uint8).tobytes(), filters


def random_samples(color_type, depth, height, width, seed=0):
    """Noise with flat stretches and ramps, so that each filter's branches are met."""
    rng = np.random.default_rng(seed)
    shape = (height, width, CHANNELS[color_type])
    noise = rng.integers(0, 1 << depth, shape)
    ramp = np.broadcast_to((np.arange(width) * 3 + np.arange(height)[:, None] * 5)[:, :, None], shape) % (1 << depth)
    return np.where(rng.random(shape) < 0.4, noise, ramp)


def expected(samples, color_type, depth, palette):
    if color_type == 3:
        return palette[samples[:, :, 0]].astype(np.uint8)
    if depth == 16:
        return samples.astype(np.uint16)
    return (samples * 255 // ((1 << depth) - 1)).astype(np.uint8)


def check(samples, color_type, depth, **options):
    palette = np.random.default_rng(9).integers(0, 256, (1 << depth, 3)) if color_type == 3 else None
    image = read_png(encode(samples, color_type, depth, palette=palette, **options))
    want = expected(samples, color_type, depth, palette)
    assert image.samples.dtype == want.dtype
    np.testing.assert_array_equal(image.samples, want)


# --- Reading --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(("color_type", "depth"), KINDS)
def test_every_kind_is_read(color_type, depth, interlaced):
    check(random_samples(color_type, depth, 21, 19), color_type, depth, interlaced=interlaced, n_idat=3)


@pytest.mark.parametrize("filter_type", range(5))
@pytest.mark.parametrize(("color_type", "depth"), [(0, 2), (0, 8), (0, 16), (2, 8), (6, 16)])
def test_every_filter_is_undone(filter_type, color_type, depth):
    check(random_samples(color_type, depth, 12, 17), color_type, depth, filters=(filter_type,))


@pytest.mark.parametrize("width", range(1, 10))
@pytest.mark.parametrize("height", [1, 2, 5, 8, 9])
def test_small_interlaced_images_leave_out_empty_passes(width, height):
    check(random_samples(0, 8, height, width), 0, 8, interlaced=True)


@given(
    kind=st.sampled_from(KINDS),
    size=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    interlaced=st.booleans(),
    filters=st.lists(st.integers(0, 4), min_size=1, max_size=6),
    n_idat=st.integers(1, 5),
    seed=st.integers(0, 1 << 32),
)
@settings(max_examples=150, deadline=None)
def test_random_images(kind, size, interlaced, filters, n_idat, seed):
    samples = random_samples(*kind, *size, seed)
    check(samples, *kind, interlaced=interlaced, filters=filters, n_idat=n_idat)


def test_rows_go_on_from_one_strip_to_the_next(monkeypatch):
    monkeypatch.setattr(png, "_STRIP_BYTES", 100)
    monkeypatch.setattr(png, "_PIECE_BYTES", 7)
    for interlaced in (False, True):
        check(random_samples(2, 16, 30, 23), 2, 16, interlaced=interlaced, filters=(4, 2, 3))
    image = random_samples(2, 8, 40, 11).astype(np.uint8)
    np.testing.assert_array_equal(read_png(write_png(image)).samples, image)


def test_a_long_match_is_handed_out_bit_by_bit(monkeypatch):
    # zlib may have consumed all of its input and still hold output back.
    monkeypatch.setattr(png, "_STRIP_BYTES", 16)
    check(np.full((500, 15, 1), 7), 0, 8, filters=(0,))


def test_header_is_told_without_the_rest():
    header = read_png_header(png.SIGNATURE + header_chunk(403, 344, 16))
    assert (header.width, header.height, header.bit_depth, header.color_type) == (403, 344, 16, 0)
    assert not header.interlaced
    assert header.decoded_bytes == 403 * 344 * 2
    assert read_png_header(png.SIGNATURE + header_chunk(5, 3, 4, 3, 1)).decoded_bytes == 45


# --- Bad input ------------------------------------------------------------------------------------------------

RAW = bytes([0, 1, 2]) * 2  # 2 × 2 pixels of 8-bit grey
IDAT = chunk(b"IDAT", zlib.compress(RAW))
HEAD = header_chunk(2, 2)
GOOD = file_of(HEAD, IDAT)
PALETTE_HEAD = header_chunk(2, 2, 8, 3)

BAD = {
    "empty": (b"", "not a PNG"),
    "text": (b"height,map\n1,2\n" * 99, "not a PNG"),
    "jpeg": (b"\xff\xd8\xff\xe0" + bytes(99), "not a PNG"),
    "signature only": (png.SIGNATURE, "cut short"),
    "no header": (file_of(IDAT), "start with a header"),
    "short header": (file_of(chunk(b"IHDR", bytes(12)), IDAT), "start with a header"),
    "two headers": (file_of(HEAD, HEAD, IDAT), "unexpected IHDR"),
    "unknown critical chunk": (file_of(HEAD, chunk(b"ABCD", b""), IDAT), "unexpected ABCD"),
    "impossible name": (file_of(HEAD, chunk(b"\xff\xfe12", b""), IDAT), "impossible name"),
    "endless length": (png.SIGNATURE + HEAD + b"\xff\xff\xff\xffIDAT" + bytes(50), "cut short"),
    "too many chunks": (file_of(HEAD, chunk(b"teXt", b"") * MAX_PNG_CHUNKS, IDAT), "more than 65536 chunks"),
    "60000 a side": (file_of(header_chunk(60_000, 60_000), IDAT), "60000 × 60000 pixels, and at most 16384"),
    "2^32 wide": (file_of(header_chunk(2**32 - 1, 1), IDAT), "at most 16384"),
    "too many bytes": (file_of(header_chunk(16384, 16384, 16), IDAT), "takes 512 MiB when decoded, and at most 256"),
    "palette counts thrice": (file_of(header_chunk(16384, 6000, 1, 3), IDAT), "takes 282 MiB"),
    "width 0": (file_of(header_chunk(0, 2), IDAT), "is 0"),
    "height 0": (file_of(header_chunk(2, 0), IDAT), "is 0"),
    "depth": (file_of(header_chunk(2, 2, 3), IDAT), "colour type 0 with 3 bits"),
    "color type": (file_of(header_chunk(2, 2, 8, 5), IDAT), "colour type 5 with 8 bits"),
    "rgb of 4 bits": (file_of(header_chunk(2, 2, 4, 2), IDAT), "colour type 2 with 4 bits"),
    "compression": (file_of(header_chunk(2, 2, compression=1), IDAT), "unknown compression"),
    "filter method": (file_of(header_chunk(2, 2, filtering=1), IDAT), "unknown compression, filter"),
    "interlacing": (file_of(header_chunk(2, 2, interlaced=2), IDAT), "or interlacing"),
    "checksum": (GOOD[:-18] + b"\0\0\0\0" + GOOD[-14:], "checksum of its IDAT"),
    "header's checksum": (file_of(HEAD[:-1] + b"\0", IDAT), "checksum of its IHDR"),
    "row filter": (file_of(HEAD, chunk(b"IDAT", zlib.compress(b"\5\1\2" * 2))), "unknown filter 5"),
    "no data": (file_of(HEAD), "fewer pixels"),
    "fewer pixels": (file_of(header_chunk(2, 3), IDAT), "fewer pixels"),
    "far fewer pixels": (file_of(header_chunk(8192, 8192), IDAT), "fewer pixels"),
    "more pixels": (file_of(header_chunk(2, 1), IDAT), "more pixels"),
    "bomb": (file_of(HEAD, chunk(b"IDAT", zlib.compress(RAW + bytes(1 << 26)))), "more pixels"),
    "no zlib": (file_of(HEAD, chunk(b"IDAT", b"hello, world")), "cannot be read"),
    "zlib's checksum": (file_of(HEAD, chunk(b"IDAT", zlib.compress(RAW)[:-1] + b"\0")), "cannot be read"),
    "zlib cut": (file_of(HEAD, chunk(b"IDAT", zlib.compress(RAW)[:-2])), "data is cut short"),
    "no palette": (file_of(PALETTE_HEAD, IDAT), "palette is missing"),
    "palette after the data": (file_of(PALETTE_HEAD, IDAT, chunk(b"PLTE", bytes(9))), "palette is wrong"),
    "two palettes": (file_of(PALETTE_HEAD, chunk(b"PLTE", bytes(9)) * 2, IDAT), "palette is wrong"),
    "palette of 8 bytes": (file_of(PALETTE_HEAD, chunk(b"PLTE", bytes(8)), IDAT), "palette is wrong"),
    "palette of 257": (file_of(PALETTE_HEAD, chunk(b"PLTE", bytes(771)), IDAT), "palette is wrong"),
    "beyond the palette": (file_of(PALETTE_HEAD, chunk(b"PLTE", bytes(6)), IDAT), "beyond its palette"),
}


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """The kernel is compiled before anything is timed."""
    assert isinstance(read_png(GOOD), Image)


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_in_little_time_and_memory(outcome, peak_memory, name):
    data, words = BAD[name]
    n_bytes, message = peak_memory(lambda: outcome(read_png, data))
    assert words in message
    assert ". " not in message
    assert n_bytes < 256e6


def test_every_truncation_is_an_error():
    data = encode(random_samples(2, 8, 4, 4), 2, 8, interlaced=True, n_idat=2)
    for n in range(len(data)):
        with pytest.raises(VoxelwrightError):
            read_png(data[:n])


def with_right_checksums(data):
    """The same bytes with the checksums of their chunks set right, as far as they can be told apart."""
    out, at = data[:8], 8
    while at + 12 <= len(data):
        length = struct.unpack(">I", data[at : at + 4])[0]
        out += chunk(data[at + 4 : at + 8], data[at + 8 : at + 8 + length])
        at += 12 + length
    return out


def test_mutations_give_an_image_or_the_error(seeds, outcome):
    palette = np.random.default_rng(7).integers(0, 256, (4, 3))
    originals = [
        encode(random_samples(0, 16, 9, 7), 0, 16),
        encode(random_samples(2, 8, 6, 9), 2, 8, interlaced=True),
        encode(random_samples(3, 4, 5, 5) % 4, 3, 4, palette=palette, n_idat=3),
        encode(random_samples(6, 8, 3, 3), 6, 8),
    ]
    n_images = 0
    for seed in seeds(6000, 300_000):
        rng = np.random.default_rng(seed)
        data = bytearray(originals[seed % 4])
        for _ in range(rng.integers(1, 4)):
            at = rng.integers(0, len(data))
            match rng.integers(0, 4):
                case 0:
                    data[at] = rng.integers(0, 256)
                case 1:
                    data[at] ^= 1 << rng.integers(0, 8)
                case 2:
                    del data[at : at + rng.integers(1, 9)]
                case 3:
                    data[at:at] = rng.bytes(rng.integers(1, 9))
            if not data:
                break
        # Half of them get past the checksums, to the code behind.
        mutated = with_right_checksums(bytes(data)) if seed % 8 < 4 else bytes(data)
        image = outcome(read_png, mutated)
        if isinstance(image, Image):
            n_images += 1
            assert image.samples.shape[:2] == (image.header.height, image.header.width)
    assert n_images > 20


def test_random_bytes_that_zlib_and_checksums_vouch_for():
    rng = np.random.default_rng(8)
    n_images = 0
    for _ in range(500):
        color_type, depth = KINDS[rng.integers(len(KINDS))]
        width, height = rng.integers(1, 7, 2).tolist()
        rows = rng.bytes(height * (1 + (width * CHANNELS[color_type] * depth + 7) // 8))
        rows = np.frombuffer(rows, np.uint8).reshape(height, -1).copy()
        rows[:, 0] %= np.uint8(rng.integers(5, 7))
        colors = chunk(b"PLTE", rng.bytes(3 * int(rng.integers(1, 257)))) if color_type == 3 else b""
        head = header_chunk(width, height, depth, color_type, int(rng.random() < 0.1))
        try:
            image = read_png(file_of(head, colors, chunk(b"IDAT", zlib.compress(rows.tobytes()))))
        except VoxelwrightError:
            continue
        n_images += 1
        assert image.samples.shape[:2] == (height, width)
    assert 100 < n_images < 500


# --- Writing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "dtype"), [((9, 13), np.uint8), ((9, 13), np.uint16), ((9, 13, 3), np.uint8), ((9, 13, 4), np.uint8)]
)
def test_written_images_are_read_back(shape, dtype):
    rng = np.random.default_rng(3)
    image = rng.integers(0, np.iinfo(dtype).max + 1, shape).astype(dtype)
    image[3:6] = image[2]
    data = write_png(image)
    np.testing.assert_array_equal(read_png(data).samples.reshape(shape), image)
    plain, filters = decode_grey_or_color(data)
    assert plain == image.astype(image.dtype.newbyteorder(">")).tobytes()
    assert filters[3:6] == [2, 2, 2]


def test_smooth_pictures_are_written_small():
    x, y = np.meshgrid(np.arange(256), np.arange(256))
    image = np.stack([x, y, (x + y) // 2], axis=2).astype(np.uint8)
    assert len(write_png(image)) < image.size // 50


def test_images_of_width_and_height_one():
    for shape in ((1, 1), (1, 5), (5, 1), (1, 1, 4)):
        image = np.arange(np.prod(shape)).reshape(shape).astype(np.uint8)
        np.testing.assert_array_equal(read_png(write_png(image)).samples.reshape(shape), image)


def test_transposed_images_are_written_right():
    image = np.random.default_rng(4).integers(0, 65536, (6, 4)).astype(np.uint16).T
    np.testing.assert_array_equal(read_png(write_png(image)).samples[:, :, 0], image)


@pytest.mark.parametrize(
    "image",
    [np.zeros((2, 2, 2), np.uint8), np.zeros((2, 2, 3), np.uint16), np.zeros((2, 2)), np.zeros((0, 2), np.uint8)],
)
def test_other_arrays_are_not_written(image):
    with pytest.raises(ValueError, match="no PNG"):
        write_png(image)
