// The sessions' events: kept in memory, or also in a journal (a file, one event a line, each chained to the one before).
// Sequences count per session from 1; without a journal they start again when the process does.
// Values under keys that look secret are replaced before anything is kept. Uses shapes. Nothing here is ever undone.

import fs from 'node:fs';
import path from 'node:path';
import { canonical, compact, newId, now, sha256 } from './shapes.mjs';

const SECRET = /pass|secret|token|credential|otp|one.?time|api.?key|pin|authorization|cookie/i;

function redact(value) {
    if (Array.isArray(value)) return value.map(redact);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value)
        .map(([name, member]) => [name, SECRET.test(name) ? '[REDACTED]' : redact(member)]));
}

export const EVENT_SCHEMA = {
    $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'computer://audit/schema', title: 'Session event',
    type: 'object',
    properties: {
        schemaVersion: { const: 1 }, eventId: { type: 'string' }, sequence: { type: 'integer', minimum: 1 },
        sessionId: { type: 'string' }, actionId: { type: 'string' }, type: { type: 'string' }, at: { type: 'string' },
        principalId: { type: 'string' }, payload: { type: 'object' },
        integrity: { type: 'object', properties: { previousHash: { type: 'string' }, hash: { type: 'string' } } },
    },
    required: ['schemaVersion', 'eventId', 'sequence', 'sessionId', 'type', 'at', 'payload'],
};
export const SCHEMA_URI = 'computer://audit/schema';
export const SCHEMA_DIGEST = sha256(canonical(EVENT_SCHEMA));

export class Events {
    constructor(journal) {
        this.bySession = new Map();
        this.next = new Map();
        this.watchers = new Set();
        this.journal = journal;
        this.last = '0'.repeat(64);
        if (journal) this.load();
    }

    load() {
        fs.mkdirSync(path.dirname(this.journal), { recursive: true });
        if (!fs.existsSync(this.journal)) return;
        for (const line of fs.readFileSync(this.journal, 'utf8').split('\n')) {
            let event;
            try {
                event = JSON.parse(line);
            } catch {
                continue;
            }
            this.keep(event);
            this.last = event.integrity.hash;
        }
    }

    keep(event) {
        if (!this.bySession.has(event.sessionId)) this.bySession.set(event.sessionId, []);
        this.bySession.get(event.sessionId).push(event);
        this.next.set(event.sessionId, event.sequence + 1);
    }

    emit(session, type, payload, actionId) {
        const event = compact({
            schemaVersion: 1, eventId: newId(), sequence: this.next.get(session.sessionId) ?? 1,
            sessionId: session.sessionId, actionId, type, at: now(), principalId: session.principalId,
            payload: redact(compact(payload)),
        });
        if (this.journal) {
            const hash = sha256(this.last + '\n' + canonical(event));
            event.integrity = { previousHash: this.last, hash };
            this.last = hash;
            fs.appendFileSync(this.journal, JSON.stringify(event) + '\n');
        }
        this.keep(event);
        for (const watcher of this.watchers) watcher(event);
    }

    after(sessionId, sequence, limit) {
        return (this.bySession.get(sessionId) ?? []).filter((event) => event.sequence > sequence).slice(0, limit);
    }

    count() {
        return [...this.bySession.values()].reduce((sum, events) => sum + events.length, 0);
    }

    drop(sessionId) {
        const count = this.bySession.get(sessionId)?.length ?? 0;
        this.bySession.delete(sessionId);
        this.next.delete(sessionId);
        if (this.journal) {
            const rest = [...this.bySession.values()].flat().map((event) => JSON.stringify(event) + '\n');
            fs.writeFileSync(this.journal, rest.join(''));
        }
        return count;
    }
}
