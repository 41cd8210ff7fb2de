// SPDX-License-Identifier: GPL-3.0-or-later
// Surface Nets, the same vertices and quads as voxel/mesh/nets.py makes: a work group a chunk.
//
// A thread has a few rows of cells: their vertices and quads are counted, which gives the chunk its ranges and each thread
// its places there. All threads together then make vertices, each finding the cells of its numbers, and quads, whose edges
// were listed; so each has as much to do as the others. The vertices of cells around the chunk, which its normals need, lie
// behind its own.
#ifdef SMOOTHED
#define THREADS 1024
#else
#define THREADS 640
#endif
layout(local_size_x = THREADS) in;

#include "mesh/nets_range.glsl"
#include "mesh/nets_field.glsl"

const int ROWS = 2; // of cells along z, for each thread
const int THREADS_A_COLUMN = (CELLS + ROWS - 1) / ROWS;
const int COLUMN = THREADS_A_COLUMN * ROWS; // places for rows of one y
const uint ROW_THREADS = uint(CELLS * THREADS_A_COLUMN); // how many threads have rows

// A row of cells at y · COLUMN + z: its first 32 cells; how many own vertices there are before it, then how many of those
// around the chunk (13 bits), then its last three cells. Before that, sums of the threads' counts.
shared uvec2 rows[CELLS * COLUMN];
shared uvec2 totals;
shared uint kinds; // HAS_OPAQUE, HAS_TRANSPARENT

const uint OTHERS_SHIFT = 16u, LAST_CELLS_SHIFT = 29u;
const uint OWN_MASK = 0xFFFFu, OTHERS_MASK = 0x1FFFu;

int column_of_thread() {
    return int(gl_LocalInvocationIndex) / THREADS_A_COLUMN;
}

int first_row_of_thread() {
    return int(gl_LocalInvocationIndex) % THREADS_A_COLUMN * ROWS;
}

bool has_row(int y, int z) {
    return y < CELLS && z < CELLS;
}

// How many of a row's cells are the chunk's own, and << OTHERS_SHIFT how many are around it.
uint count_cells(int y, int z, uvec2 cells) {
    uint own = is_inner_cell(y) && is_inner_cell(z) ? count_bits(cells & OWN_CELLS) : 0u;
    return own | count_bits(cells) - own << OTHERS_SHIFT;
}

// Find this thread's rows. Returns how many cells they have, as count_cells(), and how many quads.
uvec2 find_rows(out uvec2 cells[ROWS]) {
    int y = column_of_thread(), first_z = first_row_of_thread();
    uvec2 n = uvec2(0u);
    for (int i = 0; i < ROWS; i++) {
        cells[i] = NONE;
    }
    if (y >= CELLS) {
        return n;
    }
    Samples low = samples_at(y, first_z), next_y = samples_at(y + 1, first_z);
    for (int i = 0; i < ROWS; i++) {
        int z = first_z + i;
        Samples next_z = samples_at(y, min(z + 1, CELLS)), next_yz = samples_at(y + 1, min(z + 1, CELLS));
        if (has_row(y, z)) {
            CellRow row = cell_row(y, z, low, next_y, next_z, next_yz);
            cells[i] = row.cells;
            uvec2 edges[3] = row.own_edges;
            n += uvec2(count_cells(y, z, row.cells), count_bits(edges[0]) + count_bits(edges[1]) + count_bits(edges[2]));
        }
        low = next_z;
        next_y = next_yz;
    }
    return n;
}

// The sums of n of the threads before this one. Sets totals. All threads call this; what they return is of use to those
// that have rows.
uvec2 sum_up(uvec2 n) {
    uint thread = gl_LocalInvocationIndex, half_of_sums = 0u;
    uvec2 sum = n;
    for (uint step = 1u; step < ROW_THREADS; step <<= 1) {
        if (thread < ROW_THREADS) {
            rows[half_of_sums + thread] = sum;
        }
        barrier();
        if (thread < ROW_THREADS && thread >= step) {
            sum += rows[half_of_sums + thread - step];
        }
        half_of_sums = ROW_THREADS - half_of_sums; // what others still read stays
    }
    if (thread == ROW_THREADS - 1u) {
        totals = sum;
    }
    barrier();
    return sum - n;
}

uint n_own() {
    return totals.x & OWN_MASK;
}

uint n_vertices() {
    return n_own() + (totals.x >> OTHERS_SHIFT);
}

uvec2 cells_of(uvec2 row) {
    return uvec2(row.x, row.y >> LAST_CELLS_SHIFT);
}

// The number of a cell's vertex in the chunk.
uint vertex_number(ivec3 cell) {
    uvec2 row = rows[cell.y * COLUMN + cell.z];
    uint x = uint(cell.x);
    uvec2 before = cells_of(row) & (x < 32u ? uvec2((1u << x) - 1u, 0u) : uvec2(0xFFFFFFFFu, (1u << (x - 32u)) - 1u));
    uint others = n_own() + (row.y >> OTHERS_SHIFT & OTHERS_MASK);
    if (!is_inner_cell(cell.y) || !is_inner_cell(cell.z)) {
        return others + count_bits(before);
    }
    if (!is_inner_cell(cell.x)) {
        return others + count_bits(before & ~OWN_CELLS);
    }
    return (row.y & OWN_MASK) + count_bits(before & OWN_CELLS);
}

// --- Lists -----------------------------------------------------------------------------------------------------------

uint pack_cell(ivec3 cell) {
    return uint(cell.x | cell.y << 6 | cell.z << 12);
}

ivec3 cell_of(uint entry) {
    return ivec3(entry, entry >> 6, entry >> 12) & 63;
}

// A quad as the edge that it covers: the edge's lower sample and axis, and whether that sample is ground.
uint pack_edge(ivec3 at, int axis, bool upwards) {
    return pack_cell(at) | uint(axis) << 18 | uint(upwards) << 20;
}

uint list_edges(uint at, uvec2 edges, int axis, int y, int z, uvec2 ground) {
    while (edges != NONE) {
        uint x = take_lowest(edges);
        smooth_quads[at++].material = pack_edge(ivec3(x, y, z), axis, (bits_from(ground, x) & 1u) != 0u);
    }
    return at;
}

// List the quads of a row of samples from a place on. Returns where the next one goes.
uint list_quads(uint at, int y, int z) {
    Samples low = samples_at(y, z);
    CellRow row = cell_row(y, z, low, samples_at(y + 1, z), samples_at(y, z + 1), samples_at(y + 1, z + 1));
    uvec2 own_edges[3] = row.own_edges;
    for (int axis = 0; axis < 3; axis++) {
        at = list_edges(at, own_edges[axis], axis, y, z, low.ground);
    }
    return at;
}

// --- What becomes of them --------------------------------------------------------------------------------------------

// The n-th bit of a row that is set, from 0.
uint nth_bit(uvec2 row, uint n) {
    uint n_first = uint(bitCount(row.x)), x = n < n_first ? 0u : 32u;
    uint word = n < n_first ? row.x : row.y;
    n -= n < n_first ? 0u : n_first;
    for (uint size = 16u; size > 0u; size >>= 1) {
        uint n_below = uint(bitCount(word & (1u << size) - 1u));
        if (n >= n_below) {
            n -= n_below;
            word >>= size;
            x += size;
        }
    }
    return x;
}

// The cell of a vertex: vertex_number() the other way round.
ivec3 cell_of_vertex(uint number) {
    bool is_own = number < n_own();
    uint place = is_own ? number : number - n_own();
    uint shift = is_own ? 0u : OTHERS_SHIFT, mask = is_own ? OWN_MASK : OTHERS_MASK;
    int index = 0;
    for (int end = CELLS * COLUMN; end - index > 1; ) {
        int middle = index + end >> 1;
        bool is_before = (rows[middle].y >> shift & mask) <= place;
        index = is_before ? middle : index;
        end = is_before ? end : middle;
    }
    int y = index / COLUMN, z = index % COLUMN;
    uvec2 row = rows[index];
    uvec2 inner = is_inner_cell(y) && is_inner_cell(z) ? OWN_CELLS : NONE;
    uvec2 cells = cells_of(row) & (is_own ? inner : ~inner);
    return ivec3(nth_bit(cells, place - (row.y >> shift & mask)), y, z);
}

void place_vertex(uint number) {
    ivec3 cell = cell_of_vertex(number);
    uint x = uint(cell.x);
    Samples low = samples_at(cell.y, cell.z), next_y = samples_at(cell.y + 1, cell.z);
    Samples next_z = samples_at(cell.y, cell.z + 1), next_yz = samples_at(cell.y + 1, cell.z + 1);
    uint ground = corner_bits(low.ground, next_y.ground, next_z.ground, next_yz.ground, x);
    uint soft = corner_bits(low.smooth_row, next_y.smooth_row, next_z.smooth_row, next_yz.smooth_row, x);
    int n_rows = (found_flags & HAS_BLOCKS) != 0u ? 4 : 0; // of blocks about a cell
    bool centred = n_rows > 0 && has_block_face(cell, ground, soft, n_rows);
    ivec3 fraction = centred ? ivec3(FRACTION_STEPS / 2) : place_in_cell(cell, ground);
    vec3 position = vec3((cell - BORDER) * FRACTION_STEPS + FRACTION_STEPS / 2 + fraction) * (1.0 / float(FRACTION_STEPS));
    uint at = 2u * (range.first_vertex + number);
    vertex_halves[at] = uvec4(floatBitsToUint(position), 0u);
    vertex_halves[at + 1u] = uvec4(pack_cell(cell), ground, soft, 0u);
}

// The places of the first vertices, which their neighbours ask for again and again: in the memory of samples, which nobody
// needs any more, two words each.
const uint N_KEPT = uint(SAMPLE_WORDS) / 2u;
const int KEPT_BITS = 18; // of each coordinate, counted from the lowest sample's corner

ivec3 read_position(uint number) {
    uvec4 half_of_it = vertex_halves[2u * (range.first_vertex + number)];
    return ivec3(uintBitsToFloat(half_of_it.xyz) * float(FRACTION_STEPS)) + BORDER * FRACTION_STEPS;
}

void keep_position(uint number) {
    uvec3 place = uvec3(read_position(number));
    samples[number] = place.x | place.y << KEPT_BITS;
    samples[N_KEPT + number] = place.y >> (32 - KEPT_BITS) | place.z << (2 * KEPT_BITS - 32);
}

// Where a vertex is that was placed, in 2⁻¹² of a voxel from the lowest sample's corner.
ivec3 position_of(uint number) {
    if (number >= N_KEPT) {
        return read_position(number);
    }
    uint low = samples[number], high = samples[N_KEPT + number];
    uint y = low >> KEPT_BITS | high << (32 - KEPT_BITS);
    return ivec3(low, y, high >> (2 * KEPT_BITS - 32)) & (1 << KEPT_BITS) - 1;
}

ivec3 crossed(ivec3 a, ivec3 b) {
    return a.yzx * b.zxy - a.zxy * b.yzx;
}

const ivec3 AXES[3] = ivec3[3](ivec3(1, 0, 0), ivec3(0, 1, 0), ivec3(0, 0, 1));

// The numbers of the four vertices about an edge, counter-clockwise seen from the side that is not ground.
uvec4 vertices_about(ivec3 sample_at, int axis, bool upwards) {
    ivec3 p = AXES[(axis + 1) % 3], q = AXES[(axis + 2) % 3];
    uint a = vertex_number(sample_at - p - q), c = vertex_number(sample_at);
    uint b = vertex_number(sample_at - p), d = vertex_number(sample_at - q);
    return upwards ? uvec4(a, d, c, b) : uvec4(a, b, c, d);
}

// The sum of the areas of the quads about a vertex at a place, of this chunk and of others.
ivec3 area_about(ivec3 cell, ivec3 place, uint ground, uint smooth_bits) {
    ivec3 area = ivec3(0);
    for (int axis = 0; axis < 3; axis++) {
        int p = (axis + 1) % 3, q = (axis + 2) % 3;
        for (uint edges = leaving_edges(ground, smooth_bits, axis); edges != 0u; edges &= edges - 1u) {
            uint k = uint(findLSB(edges));
            // The other three cells about the edge lie where it does, seen from the middle of this one.
            bool p_up = (k & CORNER_BITS[p]) != 0u, q_up = (k & CORNER_BITS[q]) != 0u;
            ivec3 to_p = p_up ? AXES[p] : -AXES[p], to_q = q_up ? AXES[q] : -AXES[q];
            ivec3 next_p = position_of(vertex_number(cell + to_p)), next_q = position_of(vertex_number(cell + to_q));
            ivec3 across = place - position_of(vertex_number(cell + to_p + to_q));
            bool upwards = (ground >> k & 1u) != 0u;
            area += crossed(across, p_up ^^ q_up ^^ upwards ? next_p - next_q : next_q - next_p);
        }
    }
    return area;
}

void find_materials(uint at) {
    uvec4 listed = vertex_halves[2u * at + 1u];
    vertex_halves[2u * at].w = vertex_attributes(cell_of(listed.x), listed.z);
}

void find_normal(uint at, uint row) {
    uvec4 listed = vertex_halves[2u * at + 1u];
    vec3 area = vec3(area_about(cell_of(listed.x), position_of(at - range.first_vertex), listed.y, listed.z));
    vec3 normal = area == vec3(0.0) ? vec3(0.0, 0.0, 1.0) : area * (1.0 / length(area));
    vertex_halves[2u * at + 1u] = uvec4(floatBitsToUint(normal), row);
}

// For each axis, whether part lies between 0 and whole, both excluded.
bvec3 lies_between(ivec3 part, ivec3 whole) {
    return lessThan(abs(2 * part - whole), abs(whole));
}

// Whether a quad is to be split along its second diagonal. Both triangles must face the side that the whole does, seen
// along the quad's edge, which one of the two splits always gives; where both do, the shorter.
bool splits_along_second(uvec4 about, int axis) {
    ivec3 a = position_of(about.x);
    ivec3 ab = position_of(about.y) - a, ac = position_of(about.z) - a, bd = position_of(about.w) - a - ab;
    ivec3 area = crossed(ac, bd);
    bool first_holds = lies_between(crossed(ab, ac), area)[axis], second_holds = lies_between(crossed(ab, bd), area)[axis];
    ivec3 excess = (ac - bd) * (ac + bd);
    return !first_holds || (second_holds && excess.x + excess.y + excess.z > 0);
}

void finish_quad(uint at) {
    uint entry = smooth_quads[at].material;
    ivec3 sample_at = cell_of(entry);
    int axis = int(entry >> 18 & 3u);
    bool upwards = (entry >> 20) != 0u;
    uvec4 about = vertices_about(sample_at, axis, upwards);
    about = splits_along_second(about, axis) ? about.yzwx : about;
    about += range.first_vertex;
    uint material = material_of_sample(upwards ? sample_at : sample_at + AXES[axis]);
    smooth_quads[at] = SmoothQuad(uint[4](about.x, about.y, about.z, about.w), material);
    uint kind = is_transparent(material) ? HAS_TRANSPARENT : HAS_OPAQUE;
    if ((kinds & kind) == 0u) {
        atomicOr(kinds, kind);
    }
}

uniform uint first_job;

void main() {
    uint thread = gl_LocalInvocationIndex;
    MeshJob job = jobs[first_job + gl_WorkGroupID.x];
    if (thread == 0u) {
        kinds = 0u;
    }
    find_chunks(job.coord);
    barrier();
    if (near_smooth) {
        find_samples();
    }
    barrier();
    uvec2 cells[ROWS], n = uvec2(0u);
    if (near_smooth) {
        n = find_rows(cells);
    }
    uvec2 before = sum_up(n);
    bool has_quads = totals.y > 0u;
    if (thread == 0u) {
        claim_range(job, has_quads ? n_own() : 0u, has_quads ? n_vertices() : 0u, totals.y);
    }
    barrier();
    if (!range.has_room || !has_quads) {
        return;
    }

    int y = column_of_thread(), first_z = first_row_of_thread();
    int end_z = y < CELLS ? first_z + ROWS : first_z;
    for (int i = 0; first_z + i < end_z; i++) {
        rows[y * COLUMN + first_z + i] = uvec2(cells[i].x, before.x | cells[i].y << LAST_CELLS_SHIFT);
        before.x += count_cells(y, first_z + i, cells[i]);
    }
    uint quad = range.first_quad + before.y;
    for (int z = first_z; z < min(end_z, CELLS); z++) {
        if (cells_of(rows[y * COLUMN + z]) != NONE) {
            quad = list_quads(quad, y, z);
        }
    }
    prepare_field();
    groupMemoryBarrier();
    barrier();
    for (uint number = thread; number < n_vertices(); number += uint(THREADS)) {
        place_vertex(number);
    }
    groupMemoryBarrier();
    barrier();
    for (uint number = thread; number < min(n_vertices(), N_KEPT); number += uint(THREADS)) {
        keep_position(number);
    }
    uint own_end = range.first_vertex + n_own();
    for (uint at = range.first_vertex + thread; at < own_end; at += uint(THREADS)) {
        find_materials(at);
    }
    barrier();
    for (uint at = range.first_vertex + thread; at < own_end; at += uint(THREADS)) {
        find_normal(at, job.row);
    }
    uint quads_end = range.first_quad + totals.y;
    for (uint at = range.first_quad + thread; at < quads_end; at += uint(THREADS)) {
        finish_quad(at);
    }
    barrier();
    if (thread == 0u) {
        smooth_draws[job.row].flags = kinds;
    }
}
