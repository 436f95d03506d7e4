// The host's own channel: a Unix socket with one JSON message a line, for approvals, control and the emergency stop.
// It begins with a hello that carries the token. Errors carry no id, so a client has one command under way at a time.
// Uses the runtime. It keeps no process alive and removes its socket when the process ends.

import fs from 'node:fs';
import net from 'node:net';

const LINE = 64 * 1024;
const REPLAYED = 1000;
const MOVES = { pause: 'paused_by_user', resume: 'running', takeover: 'paused_by_user', stop: 'stopped' };

class Supervisor {
    constructor(runtime, options, socket) {
        Object.assign(this, { runtime, options, socket });
        this.principal = undefined;
        this.subscribed = new Set();
        this.watcher = (event) => this.subscribed.has(event.sessionId) && this.send({ type: 'event', event });
        this.status = () => this.send(runtime.emergencyStatus());
    }

    send(message) {
        this.socket.write(JSON.stringify(message) + '\n');
    }

    end() {
        this.runtime.events.watchers.delete(this.watcher);
        this.runtime.watchers.delete(this.status);
        this.socket.destroy();
    }

    async line(text) {
        let message;
        try {
            message = JSON.parse(text);
        } catch {
            return this.send({ type: 'error', error: 'invalid_json', message: 'message is not JSON' });
        }
        if (this.principal === undefined) return this.hello(message);
        try {
            await this.command(message);
        } catch (error) {
            this.send({ type: 'error', error: 'request_failed', message: error.message });
        }
        return undefined;
    }

    hello({ type, token, principalId }) {
        if (type !== 'hello' || token !== this.options.supervisorToken || typeof principalId !== 'string') return this.end();
        this.principal = principalId;
        this.runtime.events.watchers.add(this.watcher);
        this.runtime.watchers.add(this.status);
        this.send({ type: 'hello', protocolVersion: 2 });
        return this.status();
    }

    async command(message) {
        const { runtime, principal } = this;
        const { type, sessionId, reason } = message;
        if (type === 'emergency_status') return this.status();
        if (type === 'emergency_stop') {
            runtime.emergencyStop(reason);
            return this.send({ type: 'ack', command: type });
        }
        if (type === 'reset_emergency_stop') {
            runtime.resetEmergencyStop();
            return this.send({ type: 'ack', command: type });
        }
        if (type === 'subscribe') return this.subscribe(sessionId, message.afterSequence ?? 0);
        if (type === 'approve') {
            const { faults } = runtime;
            await faults.moment('approve_action', 'before');
            const session = runtime.sessions.own(principal, sessionId);
            const { grant } = runtime.approvals.approve(session, message.actionId,
                { ttl_ms: message.ttlMs, scope: message.scope, uses: message.uses });
            const answer = { type: 'approved', actionId: message.actionId, grant };
            await faults.moment('approve_action', 'after');
            faults.spoil('approve_action', answer);
            return this.send(answer);
        }
        if (MOVES[type]) {
            await runtime.sessions.control(principal, sessionId, MOVES[type], type === 'resume' ? undefined : reason);
            return this.send({ type: 'ack', command: type, sessionId });
        }
        if (type === 'get_frame') throw new Error('supervisor frames are not enabled');
        throw new Error(`unknown supervisor command: ${type}`);
    }

    subscribe(sessionId, after) {
        const { page } = this.runtime.sessions.eventsAfter(this.principal, sessionId, after, REPLAYED);
        page.forEach((event) => this.send({ type: 'event', event }));
        this.send({ type: 'subscribed', sessionId });
        this.subscribed.add(sessionId);
    }
}

/** Opens the socket; the token must be at least 32 characters long. */
export function supervise(runtime, options) {
    if ((options.supervisorToken ?? '').length < 32) throw new Error('--supervisor-token wants at least 32 characters');
    fs.rmSync(options.supervisorSocket, { force: true });
    const server = net.createServer((socket) => {
        const supervisor = new Supervisor(runtime, options, socket);
        let rest = '';
        let before = Promise.resolve();
        socket.setEncoding('utf8');
        socket.on('data', (chunk) => {
            const lines = (rest + chunk).split('\n');
            rest = lines.pop();
            if (rest.length > LINE) supervisor.end();
            for (const one of lines) before = before.then(() => supervisor.line(one));
        });
        socket.on('close', () => supervisor.end());
        socket.on('error', () => supervisor.end());
        socket.unref();
    });
    server.listen(options.supervisorSocket, () => fs.chmodSync(options.supervisorSocket, 0o600));
    server.unref();
    process.on('exit', () => fs.rmSync(options.supervisorSocket, { force: true }));
}
