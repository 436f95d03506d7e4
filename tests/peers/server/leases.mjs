// The one control lease of the whole runtime with its queue, and the advisory reservations of targets.
// Expiry is lazy: nothing happens when a time runs out, only when something next looks (`touch`).
// A lease is a bearer ticket: neither its session nor its owner is ever asked for. Uses shapes; never reads a session.

import { Answer, Governance, compact, iso, newId, sha256 } from './shapes.mjs';

const view = ({ controller, until, ...lease }) => compact(lease);

export class Leases {
    constructor(granted) {
        this.active = undefined;
        this.queue = [];
        this.revision = 0;
        this.emergency = false;
        this.generation = 0;
        this.granted = granted;
    }

    /** Looks at the clock: ends the active lease when it is over, then serves the queue. */
    touch() {
        if (this.active && Date.now() >= this.active.until) this.end('expired');
        this.serve();
        return this.active;
    }

    end(state, reason) {
        const lease = this.active;
        this.active = undefined;
        lease.state = state;
        if (reason) lease.revokedReason = reason;
        lease.revision = ++this.revision;
        if (state !== 'released') lease.controller.abort();
        return lease;
    }

    revoke(reason) {
        if (!this.active) return undefined;
        const lease = this.end('revoked', reason);
        this.serve();
        return lease;
    }

    serve() {
        while (!this.active && this.queue.length > 0) {
            const next = this.queue.shift();
            const acquired = Date.now();
            this.active = {
                leaseId: newId(), revision: ++this.revision, sessionId: next.args.session_id, principalId: next.principal,
                agentId: next.args.agent_id, kind: next.args.kind, executionMode: next.args.mode, state: 'active',
                acquiredAt: iso(acquired), expiresAt: iso(acquired + next.args.ttl_ms), revokedReason: undefined,
                actionBudget: next.args.action_budget, actionsUsed: 0,
                boundaries: compact({ appIds: next.args.app_ids, windowIds: next.args.window_ids,
                    displayIds: next.args.display_ids }),
                until: acquired + next.args.ttl_ms, controller: new AbortController(),
            };
            this.granted(this.active);
            next.resolve({ lease: view(this.active) });
        }
    }

    acquire(principal, args, signal) {
        if (args.kind === 'exclusive' && args.mode !== 'foreground') {
            throw new Error('exclusive leases require foreground execution mode');
        }
        if (this.emergency) throw new Governance('interrupted', 'emergency stop is active');
        return new Promise((resolve, reject) => {
            const entry = { principal, args, resolve, reject, priority: args.priority ?? 0 };
            const place = this.queue.findIndex((other) => other.priority < entry.priority);
            this.queue.splice(place < 0 ? this.queue.length : place, 0, entry);
            signal?.addEventListener('abort', () => {
                this.queue = this.queue.filter((other) => other !== entry);
                reject(new Governance('interrupted', 'lease request was cancelled'));
            }, { once: true });
            this.touch();
        });
    }

    release(leaseId) {
        if (!this.active || this.active.leaseId !== leaseId || Date.now() >= this.active.until) {
            throw new Answer({ error: 'lease_not_active', lease_id: leaseId });
        }
        const lease = this.end('released');
        this.serve();
        return { lease: view(lease) };
    }

    /** The lease an action may use; a boundary that it leaves costs the lease. */
    check(leaseId, resource, displayId) {
        if (leaseId === undefined) throw new Governance('lease_conflict', 'mutating execution requires a lease');
        const lease = this.touch();
        if (!lease || lease.leaseId !== leaseId) {
            throw new Governance('lease_revoked', 'control lease is no longer active', { leaseId });
        }
        if (lease.actionsUsed >= lease.actionBudget) {
            this.revoke('action_budget_exhausted');
            throw new Governance('lease_revoked', 'control lease action budget is exhausted', { leaseId });
        }
        const bounds = [['app', 'appIds', resource.targetAppId], ['window', 'windowIds', resource.targetWindowId],
            ['display', 'displayIds', displayId]];
        for (const [kind, name, value] of bounds) {
            if (!lease.boundaries[name] || value === undefined || lease.boundaries[name].includes(value)) continue;
            this.revoke('boundary_escape');
            throw new Governance('lease_revoked', `target escaped ${kind} lease boundary`, { kind, value });
        }
        return lease;
    }

    spend(lease) {
        if (this.touch() !== lease) {
            throw new Governance('lease_revoked', 'control lease is no longer active', { leaseId: lease.leaseId });
        }
        lease.actionsUsed += 1;
        lease.revision = ++this.revision;
    }

    /** Stops everything: the active lease and the queue; returns the lease that was revoked. */
    stop() {
        this.emergency = true;
        this.generation += 1;
        const waiting = this.queue.splice(0);
        const lease = this.revoke('emergency_stop');
        for (const entry of waiting) entry.reject(new Governance('interrupted', 'emergency stop is active'));
        return lease;
    }

    reset() {
        this.emergency = false;
        this.generation += 1;
    }
}

export class Reservations {
    constructor(emit) {
        this.all = new Map();
        this.revision = 0;
        this.emit = emit;
    }

    touch() {
        for (const one of this.all.values()) {
            if (one.state === 'active' && Date.now() >= Date.parse(one.expiresAt)) {
                Object.assign(one, { state: 'expired', terminalReason: 'expired', revision: ++this.revision });
            }
        }
    }

    reserve(session, args) {
        this.touch();
        const active = [...this.all.values()].filter((one) => one.state === 'active');
        const same = active.find((one) => one.sessionId === session.sessionId && one.intentId === args.intent_id);
        if (same) return { reservation: same };
        const other = active.find((one) => one.scope.appId.toLowerCase() === args.app_id.toLowerCase()
            && (one.scope.windowId === undefined || args.window_id === undefined || one.scope.windowId === args.window_id));
        if (other) {
            const mine = other.principalId === session.principalId;
            throw new Governance('target_conflict', 'another planner has reserved the target', mine
                ? { reservationId: other.reservationId, agentId: other.agentId ?? null, expiresAt: other.expiresAt }
                : { occupied: true });
        }
        const acquired = Date.now();
        const made = compact({
            reservationId: newId(), revision: ++this.revision, intentId: args.intent_id, sessionId: session.sessionId,
            principalId: session.principalId, executionGroupId: args.execution_group_id, agentId: args.agent_id,
            scope: compact({ appId: args.app_id, windowId: args.window_id }), state: 'active', acquiredAt: iso(acquired),
            expiresAt: iso(acquired + args.ttl_ms),
        });
        this.all.set(made.reservationId, made);
        this.emit(session, 'target.reserved', {
            reservationId: made.reservationId, intentId: made.intentId, agentId: made.agentId ?? null,
            appId: made.scope.appId, windowId: made.scope.windowId ?? null, expiresAt: made.expiresAt,
        });
        return { reservation: made };
    }

    release(session, reservationId) {
        this.touch();
        const one = this.all.get(reservationId);
        if (!one || one.state !== 'active') {
            throw new Answer({ error: 'reservation_not_active', reservation_id: reservationId });
        }
        if (one.sessionId !== session.sessionId) {
            throw new Governance('target_conflict', 'target reservation belongs to another session');
        }
        Object.assign(one, { state: 'released', terminalReason: 'released', revision: ++this.revision });
        this.emit(session, 'target.released', { reservationId, intentId: one.intentId });
        return { reservation: one };
    }

    cancel(session, reason) {
        this.touch();
        for (const one of this.all.values()) {
            if (one.state !== 'active' || one.sessionId !== session.sessionId) continue;
            Object.assign(one, { state: 'cancelled', terminalReason: reason, revision: ++this.revision });
            this.emit(session, 'target.cancelled', { reservationId: one.reservationId, intentId: one.intentId,
                reasonDigest: 'sha256:' + sha256(reason) });
        }
    }
}
