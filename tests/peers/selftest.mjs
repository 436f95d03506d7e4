#!/usr/bin/env node
// Does the stand-in server behave as it should? TAP; each group has servers of its own, a few groups run at a time.
// Usage: node tests/peers/selftest.mjs [NAME...]   NAME: a group, or a file of selftest/ without its suffix (default: all).
// Ends with 1 when a test failed.

import process from 'node:process';
import * as acting from './selftest/acting.mjs';
import * as faults from './selftest/faults.mjs';
import * as governed from './selftest/governed.mjs';
import { Tap } from './selftest/kit.mjs';
import * as remote from './selftest/remote.mjs';
import * as wire from './selftest/wire.mjs';

const AT_ONCE = 3;
const LIMIT_MS = 60000;

const wanted = process.argv.slice(2);
const groups = Object.entries({ governed, acting, faults, wire, remote }).flatMap(([file, all]) => Object.entries(all)
    .filter(([name]) => wanted.length === 0 || wanted.includes(name) || wanted.includes(file)));
let count = 0;
let failed = 0;

async function run([name, group]) {
    const tap = new Tap(name);
    const begun = Date.now();
    let timer;
    const late = new Promise((_, reject) => { timer = setTimeout(reject, LIMIT_MS, new Error('it took too long')); });
    try {
        await Promise.race([group(tap), late]);
    } catch (error) {
        tap.ok(false, `ends: ${error.message}`, error.stack);
    }
    clearTimeout(timer);
    if (process.env.TIMES) console.error(name, Date.now() - begun);
    for (const line of tap.lines) {
        if (/^(not )?ok/.test(line)) count += 1;
        console.log(line);
    }
    failed += tap.failed;
}

await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (groups.length > 0) await run(groups.shift());
}));
console.log(`1..${count}`);
process.exit(failed > 0 ? 1 : 0);
