// SPDX-License-Identifier: GPL-3.0-or-later
// A vertex of a smooth surface may lie this far outside its chunk.
const float SMOOTH_REACH = 1.0;
