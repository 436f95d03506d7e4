// The runtime behind every connection: sessions, approvals, the lease, receipts, events and the desktop, put together.
// One per process. Uses all the parts; knows nothing of transports.

import { Approvals } from './approvals.mjs';
import { Desktop } from './desktop.mjs';
import { Events } from './events.mjs';
import { Execute } from './execute.mjs';
import { Faults } from './faults.mjs';
import { Leases, Reservations } from './leases.mjs';
import { Policy } from './policy.mjs';
import { Preview } from './preview.mjs';
import { Receipts } from './receipts.mjs';
import { Sessions } from './sessions.mjs';
import { sha256 } from './shapes.mjs';

const MONITOR = 'manual_test_monitor';

export class Runtime {
    constructor(options) {
        this.options = options;
        this.faults = new Faults(options);
        this.events = new Events(options.eventJournal);
        const emit = (...event) => this.events.emit(...event);
        this.desktop = new Desktop(options.world, options.bigResult, options.misread);
        this.policy = new Policy(options);
        this.approvals = new Approvals(options.rules, emit, options.approveAnother);
        this.reservations = new Reservations(emit);
        this.leases = new Leases((lease) => this.granted(lease));
        this.receipts = new Receipts(options.durableReceipts);
        this.sessions = new Sessions(options, this.events, (session, reason) => this.revoke(session, reason));
        this.preview = new Preview(options, this.desktop, this.policy, this.approvals, this.events);
        const { events, desktop, approvals, leases, receipts, preview } = this;
        this.executor = new Execute(options, this.faults, { events, desktop, approvals, leases, receipts, preview });
        this.watchers = new Set();
    }

    /** Everything a session holds is taken from it. */
    revoke(session, reason) {
        const active = this.leases.touch();
        if (active && active.sessionId === session.sessionId) this.leases.revoke(reason);
        this.reservations.cancel(session, reason);
        this.approvals.revoke(session, reason);
    }

    granted(lease) {
        if (!this.options.userActivityAfter) return;
        setTimeout(() => {
            if (this.leases.active === lease) this.userActivity();
        }, this.options.userActivityAfter).unref();
    }

    /** The human touches the mouse: a cooperative lease ends, an exclusive one does not. */
    userActivity() {
        const lease = this.leases.touch();
        if (!lease || lease.kind !== 'cooperative') return;
        this.leases.revoke('user_activity');
        const session = this.sessions.all.get(lease.sessionId);
        if (session) {
            this.events.emit(session, 'control.user_activity_revoked',
                { leaseId: lease.leaseId, latencyMs: 0, backend: MONITOR });
        }
    }

    emergencyStop(reason = 'emergency stop') {
        const lease = this.leases.stop();
        const session = lease && this.sessions.all.get(lease.sessionId);
        if (session) {
            this.events.emit(session, 'control.emergency_stopped',
                { leaseId: lease.leaseId, reasonDigest: 'sha256:' + sha256(reason) });
        }
        this.watchers.forEach((watcher) => watcher());
        return { stopped: true };
    }

    resetEmergencyStop() {
        this.leases.reset();
        this.watchers.forEach((watcher) => watcher());
    }

    emergencyStatus() {
        return { type: 'emergency_status', active: this.leases.emergency, generation: this.leases.generation,
            supported: false, backend: 'cooperative_runtime_only' };
    }

    /** A principal whose connection is gone: every session of it that is not over is paused and stripped. */
    suspend(principal) {
        for (const session of this.sessions.all.values()) {
            if (session.principalId !== principal) continue;
            this.revoke(session, 'remote_disconnected');
            if (session.state === 'running' || session.state === 'waiting_for_user') {
                this.sessions.move(session, 'paused_by_policy', 'remote_disconnected');
            }
        }
    }

    remove(session) {
        return this.sessions.remove(session, (id) => this.receipts.drop(id), (id) => this.approvals.drop(id).grants);
    }
}
