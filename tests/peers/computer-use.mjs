#!/usr/bin/env node
// A stand-in computer-use server for the tests: the governed tools over stdio (or HTTP with --http) on a fake desktop.
// It reproduces what the real server does on the wire, its traps included, and the faults that switches order.
// README.md lists the switches. It listens on 127.0.0.1 only and touches nothing but the files it is given.

import process from 'node:process';
import { Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Connection } from './server/facade.mjs';
import { readOptions } from './server/options.mjs';
import { Runtime } from './server/runtime.mjs';

/** Standard output as --noise and --split-writes want it. */
function output(options) {
    if (!options.noise && !options.splitWrites) return process.stdout;
    let first = true;
    return new Writable({
        write(chunk, encoding, done) {
            if (options.noise) {
                const banner = first ? 'Welcome to computer-use!\n\n' : '';
                process.stdout.write(banner + 'debug: about to answer\n{"level":"info","msg":"not a message"}\n');
                first = false;
            }
            if (!options.splitWrites) return void process.stdout.write(chunk, done);
            const half = chunk.length >> 1;
            process.stdout.write(chunk.subarray(0, half));
            setTimeout(() => process.stdout.write(chunk.subarray(half), done), 2);
            return undefined;
        },
    });
}

async function overStdio(runtime, options) {
    const connection = new Connection(runtime, options.principal);
    await connection.server.connect(new StdioServerTransport(process.stdin, output(options)));
    process.stderr.write('[computer-use] Server running\n');
}

const options = readOptions(process.argv.slice(2), process.env);
const runtime = new Runtime(options);
process.on('SIGUSR2', () => runtime.userActivity());
if (options.leash) {
    process.stdin.resume();
    process.stdin.on('end', () => process.exit(0));
}
if (options.stay) {
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 60000);
}
if (options.supervisorSocket) {
    const { supervise } = await import('./server/supervisor.mjs');
    supervise(runtime, options);
}
if (options.http) {
    const { serve } = await import('./server/http.mjs');
    await serve(runtime, options);
} else await overStdio(runtime, options);
