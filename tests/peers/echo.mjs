#!/usr/bin/env node
// A small MCP server without an SDK, for tests of the protocol alone: it says exactly what it is told to say, also what
// no sound server would. Over stdio, or HTTP on 127.0.0.1 with --http (then the first line on standard output is JSON
// with the url). --quirk NAME (many may be given) breaks one thing; echo/quirks.mjs lists them. It acts on nothing.

import fs from 'node:fs';
import process from 'node:process';
import { KNOWN, serveHttp, writeStdio } from './echo/quirks.mjs';

const argv = process.argv.slice(2);
const quirks = new Map();
let http = false;
for (let i = 0; i < argv.length; i += 1) {
    if (argv[i] === '--http') http = true;
    else if (argv[i] === '--quirk') {
        const [name, value] = argv[i += 1].split('=');
        if (!KNOWN.has(name)) throw new Error(`unknown quirk ${name}`);
        quirks.set(name, value ?? true);
    } else throw new Error(`unknown switch ${argv[i]}`);
}

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const tools = [
    ['echo', object({ text: { type: 'string' } })], ['add', object({ a: { type: 'number' }, b: { type: 'number' } })],
    ['sleep', object({ ms: { type: 'integer' } })], ['big', object({ bytes: { type: 'integer' } })],
    ['fail', object({})], ['error', object({})], ['crash', object({})], ['env', object({})], ['descriptors', object({})],
    ['count', object({})], ['cancelled', object({})], ['ask', object({ method: { type: 'string' } })],
].map(([name, inputSchema]) => ({ name, inputSchema }));

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const state = { calls: 0, cancelled: [], asked: new Map(), nextId: 0 };

/** The answer of a tool; `send` reaches the client in the middle of the call. */
async function run(name, args, send) {
    state.calls += 1;
    if (name === 'echo') return { ...text(args.text), structuredContent: { text: args.text } };
    if (name === 'add') return text(args.a + args.b);
    if (name === 'sleep') return new Promise((resolve) => { setTimeout(resolve, args.ms, text('slept')); });
    if (name === 'big') return text('x'.repeat(args.bytes));
    if (name === 'fail') return { ...text('it failed'), isError: true };
    if (name === 'crash') process.kill(process.pid, 'SIGKILL');
    if (name === 'env') return text(Object.keys(process.env).sort().join('\n'));
    if (name === 'descriptors') return text(fs.readdirSync('/proc/self/fd').length);
    if (name === 'count') return text(state.calls);
    if (name === 'cancelled') return text(JSON.stringify(state.cancelled));
    if (name === 'ask') {
        const id = state.nextId++;
        const answer = new Promise((resolve) => { state.asked.set(id, resolve); });
        await send({ jsonrpc: '2.0', id, method: args.method, params: {} });
        return text(JSON.stringify(await answer));
    }
    throw Object.assign(new Error(name === 'error' ? 'as you wished' : `no tool ${name}`), { code: -32602 });
}

async function answer(method, params, send) {
    if (method === 'initialize') {
        const asked = params?.protocolVersion;
        const protocolVersion = quirks.get('version') ?? (VERSIONS.includes(asked) ? asked : VERSIONS[0]);
        return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } };
    }
    if (method === 'ping') return {};
    if (method === 'tools/list') return { tools };
    if (method === 'tools/call') return run(params.name, params.arguments ?? {}, send);
    throw Object.assign(new Error('Method not found'), { code: -32601 });
}

/** Takes one message; calls `send` with every message for the client, the answer last. */
async function take(message, send) {
    if (message.method === undefined) {
        state.asked.get(message.id)?.(message.error ? { error: message.error } : { result: message.result });
        return;
    }
    if (message.method === 'notifications/cancelled') state.cancelled.push(message.params?.requestId);
    if (message.id === undefined) return;
    if (quirks.get('silent') === message.method) return;
    const reply = await answer(message.method, message.params, send).then((result) => ({ result }),
        (error) => ({ error: { code: error.code ?? -32603, message: error.message } }));
    if (state.cancelled.includes(message.id)) return;
    await send({ jsonrpc: '2.0', id: message.id, ...reply }, message.method);
}

if (http) serveHttp(quirks, take);
else {
    const send = (message, method) => writeStdio(quirks, message, method);
    if (quirks.has('banner')) process.stdout.write('echo server 1.0 ready\n');
    let rest = Buffer.alloc(0);
    process.stdin.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
            const line = rest.subarray(0, end).toString('utf8');
            rest = rest.subarray(end + 1);
            let message;
            try {
                message = JSON.parse(line);
            } catch {
                continue;
            }
            take(message, send);
        }
    });
}
