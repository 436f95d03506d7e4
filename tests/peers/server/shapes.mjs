// Shapes that every part of the stand-in shares: the two kinds of failure, canonical text and digests, ids and times.
// Uses node's crypto only. It keeps no state.

import { createHash, randomUUID } from 'node:crypto';

/** A failure with a governance code; on the wire {error, message, details}. */
export class Governance extends Error {
    constructor(code, message, details = {}) {
        super(message);
        this.code = code;
        this.details = details;
    }
}

/** A failure that is answered with exactly this structured content. */
export class Answer extends Error {
    constructor(content) {
        super(content.error);
        this.content = content;
    }
}

export const newId = () => randomUUID();
export const now = () => new Date().toISOString();
export const iso = (ms) => new Date(ms).toISOString();
export const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Text with the members of objects in the collation order of the locale; `undefined` stands for itself. */
export function canonical(value) {
    if (value === undefined) return 'undefined';
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    if (Array.isArray(value)) return '[' + value.map(canonical).join(',') + ']';
    const names = Object.keys(value).sort((a, b) => a.localeCompare(b));
    return '{' + names.map((name) => JSON.stringify(name) + ':' + canonical(value[name])).join(',') + '}';
}

/** The object without its undefined members, as JSON.stringify would write it. */
export function compact(object) {
    return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

export const digestOfText = (text) => ({ digest: 'sha256:' + sha256(text), length: text.length });

/** Waits; rejects when the signal aborts first. A wait for ever keeps the process alive only while its input is open. */
export function pause(ms, signal) {
    return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(new Error('aborted'));
        const timer = ms === Infinity ? undefined : setTimeout(finish, ms);
        function finish() {
            signal?.removeEventListener('abort', stop);
            resolve();
        }
        function stop() {
            clearTimeout(timer);
            reject(new Error('aborted'));
        }
        signal?.addEventListener('abort', stop, { once: true });
        return undefined;
    });
}
