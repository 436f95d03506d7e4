// Sessions: their states and moves, follow-ups, deletion, and their recovery after a restart. Whoever owns authority
// that a session holds (leases, reservations, approvals) is told through `revoke` before the state moves.
// Uses shapes and events. It must never answer for a session of another principal.

import fs from 'node:fs';
import path from 'node:path';
import { Governance, compact, digestOfText, newId, now, pause } from './shapes.mjs';

const MOVES = {
    created: ['running'],
    running: ['waiting_for_user', 'paused_by_user', 'paused_by_policy', 'stopping', 'completed', 'failed'],
    waiting_for_user: ['running', 'paused_by_user', 'paused_by_policy', 'stopping', 'failed'],
    paused_by_user: ['running', 'stopping', 'stopped'],
    paused_by_policy: ['running', 'stopping', 'stopped'],
    stopping: ['stopped', 'failed'],
};
const FINAL = ['completed', 'failed', 'stopped'];
const FOLLOW_UPS = 1000;
const FOLLOW_UP_BYTES = 16384;

export class Sessions {
    constructor(options, events, revoke) {
        this.events = events;
        this.revoke = revoke;
        this.all = new Map();
        this.followUps = new Map();
        this.directory = options.durableSessions;
        this.ready = this.directory ? this.recover(options.recoveryDelay) : Promise.resolve();
    }

    recover(delay) {
        fs.mkdirSync(this.directory, { recursive: true });
        for (const name of fs.readdirSync(this.directory)) {
            const session = JSON.parse(fs.readFileSync(path.join(this.directory, name), 'utf8'));
            this.all.set(session.sessionId, session);
        }
        return pause(delay).then(() => {
            for (const session of this.all.values()) {
                if (FINAL.includes(session.state)) continue;
                session.recovered = true;
                this.events.emit(session, 'session.recovered', { state: session.state, reason: 'runtime_recovered' });
                const from = session.state;
                this.write(session, { state: 'paused_by_user', waitingReason: 'runtime_recovered' });
                this.events.emit(session, 'session.state_changed', { from, to: 'paused_by_user' });
            }
        });
    }

    write(session, change) {
        Object.assign(session, change, { revision: session.revision + 1, updatedAt: now() });
        this.save(session);
    }

    save(session) {
        if (!this.directory) return;
        const file = path.join(this.directory, encodeURIComponent(session.sessionId) + '.json');
        fs.writeFileSync(file + '~', JSON.stringify(session));
        fs.renameSync(file + '~', file);
    }

    view(session) {
        const { waitingReason, recovered, completion, ...rest } = session;
        return compact({ ...rest, waitingReason, recovered, completion });
    }

    own(principal, sessionId) {
        const session = this.all.get(sessionId);
        if (!session) throw new Governance('session_not_found', 'runtime session does not exist', { sessionId });
        if (session.principalId !== principal) {
            throw new Governance('principal_mismatch', 'session belongs to another principal', { sessionId });
        }
        return session;
    }

    /** The session, when it may preview and execute. */
    live(principal, sessionId) {
        const session = this.own(principal, sessionId);
        if (session.state !== 'running' && session.state !== 'waiting_for_user') {
            throw new Governance('session_not_running', `session cannot execute while ${session.state}`,
                { sessionId, state: session.state });
        }
        return session;
    }

    move(session, to, reason, more = {}) {
        if (session.state === to) return;
        if (!(MOVES[session.state] ?? []).includes(to)) {
            throw new Error(`invalid session transition: ${session.state} -> ${to}`);
        }
        const from = session.state;
        if (reason === undefined) delete session.waitingReason;
        this.write(session, { state: to, ...(reason === undefined ? {} : { waitingReason: reason }), ...more });
        this.events.emit(session, 'session.state_changed',
            { from, to, reasonMetadata: reason === undefined ? undefined : digestOfText(reason) });
    }

    async start(principal, { objective, execution_group_id: executionGroupId }) {
        await this.ready;
        const at = now();
        const session = compact({ sessionId: newId(), principalId: principal, executionGroupId, objective, state: 'created',
            revision: 1, createdAt: at, updatedAt: at });
        this.all.set(session.sessionId, session);
        this.events.emit(session, 'session.created', { state: 'created' });
        this.move(session, 'running');
        return { session: this.view(session) };
    }

    /** pause, resume, take over, stop: revokes what the session holds, then moves it. */
    async control(principal, sessionId, to, reason) {
        await this.ready;
        const session = this.own(principal, sessionId);
        if (to !== 'running') this.revoke(session, reason ?? to);
        if (to === 'stopped') {
            if (session.state !== 'stopped') {
                this.move(session, 'stopping', reason);
                this.move(session, 'stopped', reason);
            }
        } else this.move(session, to, reason);
        return { session: this.view(session) };
    }

    async complete(principal, args) {
        await this.ready;
        const session = this.own(principal, args.session_id);
        this.revoke(session, args.reason ?? 'completed');
        const completion = compact({
            summary: args.summary,
            postconditions: args.postconditions.map((one) => compact(
                { description: one.description, satisfied: one.satisfied, evidenceHash: one.evidence_hash })),
            lastAppId: args.last_app_id, lastWindowId: args.last_window_id, actionCounts: args.action_counts,
            reason: args.reason, completedAt: now(),
        });
        if (session.state === 'completed') return { session: this.view(session) };
        this.move(session, 'completed', undefined, { completion });
        this.events.emit(session, 'session.completed', {
            summaryMetadata: digestOfText(args.summary),
            postconditions: {
                total: args.postconditions.length,
                satisfied: args.postconditions.filter((one) => one.satisfied).length,
                evidenceHashes: args.postconditions.flatMap((one) => one.evidence_hash ?? []),
            },
            actionCounts: args.action_counts,
        });
        return { session: this.view(session) };
    }

    submit(principal, { session_id: sessionId, instruction }) {
        const session = this.own(principal, sessionId);
        if (FINAL.includes(session.state)) throw new Error('follow-up requires a nonterminal session');
        if (Buffer.byteLength(instruction) > FOLLOW_UP_BYTES) {
            throw new Error(`instruction must contain 1 to ${FOLLOW_UP_BYTES} UTF-8 bytes`);
        }
        const list = this.followUps.get(sessionId) ?? [];
        if (list.length >= FOLLOW_UPS) throw new Error('session follow-up limit reached');
        this.followUps.set(sessionId, list);
        const entry = { followUpId: newId(), sequence: list.length + 1, sessionId, principalId: principal, instruction,
            createdAt: now() };
        list.push(entry);
        this.events.emit(session, 'session.follow_up_submitted',
            { followUpId: entry.followUpId, sequence: entry.sequence, instructionMetadata: digestOfText(instruction) });
        return { follow_up: entry };
    }

    followUpsAfter(principal, { session_id: sessionId, after_sequence: after = 0, limit = 100 }) {
        this.own(principal, sessionId);
        const page = (this.followUps.get(sessionId) ?? []).filter((one) => one.sequence > after).slice(0, limit);
        return { follow_ups: page, next_sequence: page.length > 0 ? page[page.length - 1].sequence : after };
    }

    eventsAfter(principal, sessionId, after = 0, limit = 100) {
        this.own(principal, sessionId);
        const page = this.events.after(sessionId, after, limit);
        return { page, next: page.length > 0 ? page[page.length - 1].sequence : after };
    }

    remove(session, dropReceipts, dropGrants) {
        if (!FINAL.includes(session.state)) {
            throw new Governance('session_not_terminal',
                `session data can only be deleted after a terminal state; current state is ${session.state}`);
        }
        const { sessionId } = session;
        this.all.delete(sessionId);
        this.followUps.delete(sessionId);
        if (this.directory) fs.rmSync(path.join(this.directory, encodeURIComponent(sessionId) + '.json'), { force: true });
        const deletedEvents = this.events.drop(sessionId);
        return compact({
            sessionId, deleted: true, deletedEvents, deletedReceipts: dropReceipts(sessionId), deletedEvidenceFrames: 0,
            revokedGrants: dropGrants(sessionId), retainedEvents: this.events.count(),
            retentionMarkerId: this.events.journal ? newId() : undefined,
        });
    }

    terminalBefore(principal, olderThan, limit = 100) {
        const before = new Date(olderThan).getTime();
        if (Number.isNaN(before)) throw new Error('olderThan must be a valid date');
        return [...this.all.values()].filter((one) => one.principalId === principal && FINAL.includes(one.state)
            && Date.parse(one.updatedAt) < before).slice(0, limit);
    }

    newest(principal) {
        return [...this.all.values()].filter((one) => one.principalId === principal)
            .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt))[0];
    }
}
