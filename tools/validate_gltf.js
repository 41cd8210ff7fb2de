// SPDX-License-Identifier: GPL-3.0-or-later
//
// node tools/validate_gltf.js FILE.glb prints the Khronos validator's report as JSON.
// The exit code is 1 where there are errors or warnings.

const { readFileSync } = require("node:fs");
const { validateBytes } = require("gltf-validator");

const path = process.argv[2];

validateBytes(new Uint8Array(readFileSync(path)), { uri: path }).then((report) => {
    console.log(JSON.stringify(report, null, 2));
    process.exitCode = report.issues.numErrors + report.issues.numWarnings > 0 ? 1 : 0;
});
