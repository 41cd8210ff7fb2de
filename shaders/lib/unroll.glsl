// SPDX-License-Identifier: GPL-3.0-or-later
// Loops written out. An array that is indexed by a loop's variable may end up in memory, which is slow; one that is
// indexed by constants alone stays in registers.

#define FOR_8(DO, FIRST) \
    DO(FIRST) DO(FIRST + 1) DO(FIRST + 2) DO(FIRST + 3) DO(FIRST + 4) DO(FIRST + 5) DO(FIRST + 6) DO(FIRST + 7)
#define FOR_16(DO) FOR_8(DO, 0) FOR_8(DO, 8)
#define FOR_32(DO) FOR_16(DO) FOR_8(DO, 16) FOR_8(DO, 24)
