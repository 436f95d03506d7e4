// execute_action: preview again, use the grant, begin the receipt, check lease and target, act once, verify, end the receipt.
// What fails before the effect ends rejected (or interrupted); what fails after it ends indeterminate and costs the lease.
// Uses preview, receipts, leases and the desktop. It must never act twice for one session and action id.

import * as low from './lowlevel.mjs';
import { blocked, postconditionFacts } from './preview.mjs';
import { Governance, compact, pause, sha256 } from './shapes.mjs';

const EVIDENCE_AGE = 30000;
const CUT = 'control was revoked while the action was executing';

export class Execute {
    constructor(options, faults, parts) {
        Object.assign(this, { options, faults, ...parts });
    }

    /** Answers {receipt, replay, result?}; `signal` is the client's cancellation. */
    async run(session, args, signal) {
        if (args.action_id === '') throw new Error('execute requires an explicit actionId for idempotency');
        const { preview, grant } = this.preview.look(session, args);
        if (preview.blocker) throw blocked(preview);
        this.approvals.consume(grant, args.action_id);
        const { receipt, replay } = this.receipts.begin(preview.envelope, args.attempt ?? 1);
        if (replay) return { receipt: structuredClone(receipt), replay: true };
        const call = { session, args, envelope: preview.envelope, policy: preview.policy, receipt, signal,
            acts: low.mutates(args.tool, args.arguments), started: false };
        try {
            const result = call.acts ? await this.mutate(call) : await this.observe(call);
            this.receipts.finish(receipt, 'committed', { result });
            this.tell(call, 'action.committed', { receiptId: receipt.receiptId, leaseId: call.lease?.leaseId ?? null });
            return { receipt: structuredClone(receipt), replay: false, result };
        } catch (error) {
            this.fail(call, error);
            throw error;
        }
    }

    tell(call, type, payload) {
        this.events.emit(call.session, type, payload, call.args.action_id);
    }

    fail(call, error) {
        const code = error instanceof Governance ? error.code : 'execution_error';
        let status = 'rejected';
        if (call.started && call.acts) status = 'indeterminate';
        else if (code === 'interrupted') status = 'interrupted';
        this.receipts.finish(call.receipt, status, { error: { code, message: error.message } });
        this.tell(call, `action.${status}`, { receiptId: call.receipt.receiptId, code });
        if (status === 'indeterminate' && call.lease && this.leases.active === call.lease) {
            this.leases.revoke('action_indeterminate');
        }
    }

    checkTarget({ envelope, policy }) {
        const { target } = envelope;
        if (!target) return;
        const details = { observationId: target.observationId };
        const exempt = this.options.rules === '20002ace' && policy.decision === 'confirm';
        if (!exempt && Date.now() - new Date(target.capturedAt).getTime() > EVIDENCE_AGE) {
            throw new Governance('stale_target', 'target evidence is too old', details);
        }
        if (!this.desktop.matches(target, this.options.platform)) {
            throw new Governance('stale_target', 'target evidence no longer matches the desktop', details);
        }
    }

    who({ session, args, envelope }) {
        return { sessionId: session.sessionId, actionId: args.action_id, digest: envelope.argsDigest };
    }

    async observe(call) {
        const { tool, arguments: inner, mode } = call.args;
        this.tell(call, 'action.started', { tool, mode, leaseId: null });
        call.started = true;
        let result;
        try {
            await this.faults.moment(tool, 'before', call.signal);
            result = this.desktop.run(tool, inner, this.who(call));
            await this.faults.moment(tool, 'after', call.signal);
        } catch {
            throw new Governance('interrupted', 'observation was cancelled');
        }
        if (result.isError) {
            throw new Governance('execution_failed', 'observation handler returned an error',
                { tool, handler: { reported: true, ...result.structuredContent } });
        }
        return this.options.structured ? result : { content: result.content };
    }

    async mutate(call) {
        const { args, envelope } = call;
        const { tool, mode } = args;
        call.lease = this.leases.check(args.lease_id, envelope.resource ?? {}, envelope.target?.displayId);
        this.checkTarget(call);
        try {
            await this.faults.moment('capture', 'before', call.signal);
            await pause(0, call.signal);
        } catch {
            throw new Governance('interrupted', 'action was cancelled before execution');
        }
        this.checkTarget(call);
        this.leases.spend(call.lease);
        this.tell(call, 'action.started', { tool, mode, leaseId: call.lease.leaseId });
        call.started = true;
        const result = await this.effect(call);
        this.verify(call);
        this.checkTarget(call);
        if (mode === 'foreground') {
            this.tell(call, 'action.restored', { restored: true, focusRestored: true, cursorRestored: true });
        }
        return this.options.structured ? result : { content: result.content };
    }

    async effect(call) {
        const { tool, arguments: inner } = call.args;
        const signals = [call.lease.controller.signal, call.signal].filter(Boolean);
        const signal = any(signals);
        const [refuses, throws, fails] = ['errorBeforeEffect', 'throwAfterEffect', 'errorAfterEffect']
            .map((kind) => this.faults.struck(kind, tool, 'after'));
        let result;
        try {
            await this.faults.moment(tool, 'before', signal);
            if (refuses) {
                result = refused('refused', 'handler refused before any effect');
            } else {
                result = this.desktop.run(tool, inner, this.who(call));
                await this.faults.moment(tool, 'after', signal);
            }
        } catch (error) {
            if (!signal.aborted) throw error;
        }
        if (!signal.aborted) this.leases.touch();
        if (signal.aborted) throw new Governance('indeterminate', CUT);
        if (throws) throw new Error('executor failed after its side effect');
        if (fails) result = refused('fake_failure', 'handler reported failure after effect');
        if (result.isError) {
            throw new Governance('indeterminate', 'mutating handler returned an error after entering the side-effect boundary',
                { tool, handler: { reported: true, ...result.structuredContent, frontmostAfter: null } });
        }
        return result;
    }

    verify(call) {
        const { envelope, args } = call;
        const { postcondition, target } = envelope;
        const expected = postcondition ?? this.automatic(args, target);
        const outcome = { verified: true, method: 'successful_result', checks: 0 };
        if (expected) {
            outcome.method = `postcondition.${expected.kind}`;
            outcome.checks = 1;
            outcome.verified = this.desktop.holds(expected, target?.windowId ?? args.arguments.window_id);
        } else if (typeof target?.windowId === 'number') outcome.method = 'fresh_window_identity';
        else if (target?.windowId !== undefined) outcome.method = 'successful_result_non_numeric_window';
        this.tell(call, 'action.verified', compact({ ...outcome, ...postconditionFacts(postcondition) }));
        if (!outcome.verified) {
            throw new Governance('indeterminate', 'postcondition was not satisfied after execution',
                { method: outcome.method, checks: outcome.checks });
        }
    }

    /** The read-back of tools that have one of their own. */
    automatic({ tool, arguments: inner }, target) {
        const kind = low.automaticCheck(tool, inner);
        if (kind === 'process') return { kind, pid: inner.pid };
        if (kind === 'filesystem') {
            const path = inner.destination ?? inner.path;
            return { kind, path, exists: inner.mode !== 'delete' };
        }
        if (kind === 'ui_element' && tool === 'set_value') {
            return { kind, role: inner.role, label: inner.label, exists: target !== undefined,
                valueDigest: 'sha256:' + sha256(String(inner.value ?? '')) };
        }
        if (kind === 'ui_element') return { kind, ...inner.fields[0], value: undefined, exists: true };
        return undefined;
    }
}

function refused(error, message) {
    const value = { error, message };
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value, isError: true };
}

function any(signals) {
    const joint = new AbortController();
    for (const signal of signals) {
        if (signal.aborted) joint.abort();
        else signal.addEventListener('abort', () => joint.abort(), { once: true });
    }
    return joint.signal;
}
