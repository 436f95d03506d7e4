// What the stand-in's own tests share: TAP, a server of their own driven by the official client, and raw lines.
// Every server that a test starts is ended with it, whatever happens.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

export const SERVER = fileURLToPath(new URL('../computer-use.mjs', import.meta.url));
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

const directories = [];
process.on('exit', () => directories.forEach((one) => fs.rmSync(one, { recursive: true, force: true })));

/** A directory that is gone when the tests are. */
export function scratch() {
    directories.push(fs.mkdtempSync(path.join(os.tmpdir(), 'peer-')));
    return directories[directories.length - 1];
}

/** The tests of one group; their lines come out together at its end. */
export class Tap {
    constructor(group) {
        this.group = group;
        this.lines = [];
        this.failed = 0;
    }

    ok(good, name, note) {
        this.lines.push(`${good ? 'ok' : 'not ok'} - ${this.group}: ${name}`);
        if (good) return;
        this.failed += 1;
        if (note !== undefined) this.lines.push(...JSON.stringify(note).match(/.{1,400}/g).map((line) => `#   ${line}`));
    }

    is(got, want, name) {
        this.ok(isDeepStrictEqual(got, want), name, { got, want });
    }
}

const HERE = { platform: 'linux', app_id: 'org.example.Editor', pid: 4242, window_id: 7, display_id: '1',
    observation_id: 'o1', confidence: 1 };

/** Evidence of the editor's window, taken now. */
export const target = (more = {}) => ({ ...HERE, captured_at: new Date().toISOString(), ...more });

let ids = 0;
export const newAction = () => `action-${ids += 1}`;

/** A server over stdio with a client, a running session and shortcuts for what tests do all the time. */
export class Peer {
    static async start(flags = [], { env = {}, client = {}, world } = {}) {
        const peer = new Peer();
        peer.directory = scratch();
        peer.world = world ?? path.join(peer.directory, 'world.jsonl');
        peer.transport = new StdioClientTransport({ command: process.execPath, stderr: 'pipe',
            args: [SERVER, '--principal', 'operator-1', '--world', peer.world, ...flags], env: { ...process.env, ...env } });
        peer.stderr = '';
        peer.transport.stderr.on('data', (chunk) => { peer.stderr += chunk; });
        peer.client = new Client({ name: 'selftest', version: '1' }, client);
        peer.prepare?.();
        await peer.client.connect(peer.transport);
        peer.pid = peer.transport.pid;
        return peer;
    }

    async call(name, args = {}, options = {}) {
        const reply = await this.client.callTool({ name, arguments: args }, undefined, { timeout: 20000, ...options });
        const last = reply.content[reply.content.length - 1]?.text;
        return { reply, bad: reply.isError === true, value: reply.structuredContent, text: last,
            error: reply.structuredContent?.error };
    }

    /** The structured content of a call that must succeed. */
    async get(name, args) {
        const { bad, value, text } = await this.call(name, args);
        if (bad) throw new Error(`${name}: ${text}`);
        return value;
    }

    async session() {
        const { session } = await this.get('start_session');
        this.sessionId = session.sessionId;
        return session.sessionId;
    }

    async lease(more = {}) {
        const { lease } = await this.get('acquire_control_lease', { session_id: this.sessionId, kind: 'cooperative',
            mode: 'foreground', ttl_ms: 20000, action_budget: 1, ...more });
        return lease;
    }

    clip(more = {}) {
        return { session_id: this.sessionId, action_id: newAction(), tool: 'write_clipboard', arguments: { text: 'hi' },
            mode: 'background', data_labels: ['public'], ...more };
    }

    press(label, more = {}) {
        return { session_id: this.sessionId, action_id: newAction(), tool: 'press_button',
            arguments: { window_id: 7, label }, mode: 'foreground', target: target(), data_labels: ['private'], ...more };
    }

    notify(more = {}) {
        return { session_id: this.sessionId, action_id: newAction(), tool: 'notification',
            arguments: { title: 'Done', message: 'saved' }, mode: 'background', data_labels: ['public'], ...more };
    }

    /** Takes a lease, executes, and gives back a lease that the execution left. */
    async act(action, lease = {}, options = {}) {
        const { leaseId } = await this.lease(lease);
        const done = await this.call('execute_action', { ...action, lease_id: leaseId }, options);
        await this.call('release_control_lease', { lease_id: leaseId });
        return done;
    }

    async events(type) {
        const { events } = await this.get('get_session_events', { session_id: this.sessionId, limit: 1000 });
        return type ? events.filter((one) => one.type === type) : events;
    }

    effects() {
        if (!fs.existsSync(this.world)) return [];
        return fs.readFileSync(this.world, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
    }

    async end() {
        await this.client.close().catch(() => {});
    }

    kill() {
        process.kill(this.pid, 'SIGKILL');
    }
}

const children = new Set();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** A child process that ends with this one at the latest. */
export function start(...args) {
    const child = spawn(...args);
    children.add(child);
    child.on('exit', () => children.delete(child));
    return child;
}

/** A server spoken to in raw lines. */
export class Raw {
    constructor(flags = [], script = SERVER) {
        this.child = start(process.execPath, [script, ...flags], { stdio: ['pipe', 'pipe', 'pipe'] });
        this.lines = [];
        this.stderr = 0;
        this.exit = new Promise((resolve) => { this.child.on('exit', (code, signal) => resolve(signal ?? code)); });
        let rest = '';
        this.child.stdout.on('data', (chunk) => {
            const parts = (rest + chunk).split('\n');
            rest = parts.pop();
            this.lines.push(...parts);
        });
        this.child.stderr.on('data', (chunk) => { this.stderr += chunk.length; });
        this.child.stdin.on('error', () => {});
    }

    send(...messages) {
        for (const one of messages) {
            this.child.stdin.write((typeof one === 'string' ? one : JSON.stringify({ jsonrpc: '2.0', ...one })) + '\n');
        }
    }

    messages() {
        return this.lines.flatMap((line) => {
            try {
                return [JSON.parse(line)];
            } catch {
                return [];
            }
        });
    }

    async reply(id, ms = 20000) {
        for (let end = Date.now() + ms; Date.now() < end; await wait(10)) {
            const found = this.messages().find((one) => one.id === id && one.method === undefined);
            if (found) return found;
        }
        return undefined;
    }

    async initialize(version = '2025-11-25') {
        this.send({ id: 'init', method: 'initialize', params: { protocolVersion: version, capabilities: {},
            clientInfo: { name: 'raw', version: '1' } } });
        const answer = await this.reply('init');
        this.send({ method: 'notifications/initialized' });
        return answer;
    }

    end() {
        this.child.kill('SIGKILL');
        return this.exit;
    }
}
