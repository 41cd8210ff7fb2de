# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers that bound everything read or made, in one place.

A message that reports one of these says its value and what to do.
"""

MAX_WORLD_EDGE = 4096
"""Voxels along one axis of a world that is generated or imported."""

MAX_WORLD_CHUNKS = 65_536
"""Chunks of one world. A chunk that is not uniform takes 64 KiB, so this is 4 GiB of voxels at most."""

MAX_CHUNK_COORD = 1 << 20
"""The coordinates of a world's chunks go from minus this to this: 33 million voxels each way."""

MAX_WORLD_FILE_BYTES = 5 << 30
"""Bytes of a .vxw file: more than the largest world takes, whatever its voxels."""

MAX_WORLD_HEAD_BYTES = 1 << 22
"""Bytes of a world's palette and settings as text: more than the longest names and the longest recipe take."""

MAX_JSON_DEPTH = 16
"""Objects and lists within each other in a world's palette and settings."""

MAX_WORLD_SECTIONS = 64
"""Parts of a .vxw file."""

MAX_ZSTD_WINDOW_BYTES = 1 << 23
"""Bytes that a zstd frame may look back: more than any part of a world is long."""

MAX_RECIPE_LETTERS = 100_000
"""Letters of the preset that a world keeps."""

MAX_RECIPE_NUMBERS = 1000
"""Numbers of its preset that a recipe changes."""

MAX_RECIPE_PATH_LETTERS = 100
"""Letters of the path of such a number, as in nodes.hills.wavelength."""

MAX_JOURNAL_BYTES = 1 << 34
"""Bytes of a journal; it is begun anew, with new snapshots, long before."""

MAX_JOURNAL_RECORDS = 1 << 18
"""Records of a journal. Reading one takes some microseconds, so this is about a second."""

MAX_JOURNAL_WORLDS = 256
"""Worlds of a journal."""

MAX_WORLD_ID_LETTERS = 64
"""Letters of the name by which a journal knows a world."""

MAX_IMPORT_FILE_BYTES = 1 << 27
"""Bytes of a foreign file. It is read whole before it is judged, in well under a second and 256 MiB."""

MAX_VOX_NODES = 65_536
"""Nodes of a .vox scene graph, counted once for every way to them; and models of a .vox file."""

MAX_VOX_DEPTH = 256
"""Levels of a .vox scene graph from its root."""

MAX_VOX_PLACED_VOXELS = 1 << 27
"""Voxels of a .vox file, counted once for every place in the scene that shows their model."""

MAX_VOX_ITEMS = 1 << 19
"""Chunks, dictionary entries, frames and children of a .vox file, all together."""

MAX_IMPORT_CHUNKS = 16_384
"""Chunks that an import may touch: 1 GiB of voxels."""

MAX_IMAGE_EDGE = 16_384
"""Samples along one axis of a heightmap image."""

MAX_IMAGE_BYTES = 1 << 28
"""Bytes of an image after decompression."""

MAX_PNG_CHUNKS = 65_536
"""Chunks of one PNG file; encoders write pieces of 8 KiB and more."""

IMAGE_SCALE_RANGE = (0.01, 100.0)
"""Voxels a sample of a heightmap image."""

MAX_PICTURE_EDGE = 8192
"""Pixels along one axis of a rendered picture."""

MAX_DRAWN_CHUNKS = 2 * MAX_WORLD_CHUNKS
"""Chunks with surfaces that are drawn at once; a smooth surface may reach into chunks of air beside its own."""

MAX_DRAWN_CHUNK_COORD = (1 << 19) - 1
"""Chunk coordinates that can be drawn: their corners are exact in float32."""

MAX_GRID_CELLS = 1 << 24
"""Chunks in the box about everything that is drawn at once, empty ones counted: 8192 voxels along each axis."""

MAX_BAKED_CHUNK_COORD = 4094
"""Chunk coordinates that can be baked: corners are keyed by 18 bits an axis."""

MAX_PRESET_NODES = 64
"""Nodes of one world preset."""

MAX_CURVE_POINTS = 16
"""Points of one curve of a preset."""

MAX_STAMP_EDGE = 32
"""Voxels along one axis of a stamp that features are made of."""

MAX_STAMPS = 256
"""Stamps of one preset, and stamps of one feature."""

MAX_FEATURES = 32
"""Kinds of features, strata, layers, caves or erosion stages of one preset."""

MAX_BRUSH_RADIUS = 128
"""Voxels from the middle of a brush to its border; 256 along its axis, where it has one."""

MAX_LINE_POINTS = 4096
"""Voxels of one line, before it is thickened by a brush."""

MAX_SWEPT_VOXELS = 1 << 29
"""Voxels of one dab, counted once for every place that the brush is put at: as many as MAX_EDIT_CHUNKS have."""

MAX_EDIT_CHUNKS = 16_384
"""Chunks that one edit by hand may touch: 1 GiB of voxels before, and as much after it."""

MAX_SCULPT_STEP = 32
"""Voxels by which one dab raises or lowers."""

MAX_RADIAL_IMAGES = 64
"""Images about one axis by radial symmetry."""

MAX_CONNECTED_VOXELS = 1 << 26
"""Voxels that are looked for when connected ones are taken: some seconds."""

MAX_SELECTION_STEPS = 64
"""Voxels by which a selection grows or shrinks at once."""

MAX_OUTLINE_SEGMENTS = 1 << 20
"""Lines that outline a selection: 24 MiB."""

MAX_EXTRUSION = 256
"""Voxels by which a face is extruded at once."""

MAX_ACTION_TIMES = 100
"""How often one action is done to a selection at once."""

MAX_SCATTERED = 4096
"""Things that are scattered at once: about two seconds."""

MAX_PATTERN_MATERIALS = 32
"""Materials of one brush's pattern."""

MAX_MESH_TRIANGLES = 1 << 22
"""Triangles of a mesh that is made voxels of."""

MAX_MESH_COLUMNS = 1 << 26
"""Columns of voxels along one axis that its triangles are tested against, counted once for every triangle: where all
are crossed, 512 MiB."""

MAX_MESH_PAIRS = 1 << 25
"""Chunks in the boxes about its triangles, counted once for every triangle: 128 MiB."""

MAX_TOPING_TRIANGLES = 16_000_000
"""Triangles of topings that are baked as one mesh: some 2 GB in Blender."""

MAX_TOPING_OBJECTS = 20_000
"""Topings that are baked as an object each: some seconds, and as many as Blender's outliner bears."""
