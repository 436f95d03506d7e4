// Approvals: what waits for one, the grants given, and the use of grants. An approval names a session and an action id,
// never a digest: it is for whatever preview of that id is pending when it comes.
// Uses shapes. It never decides whether an action needs approval.

import { Governance, canonical, iso, newId, sha256 } from './shapes.mjs';

const key = (sessionId, actionId) => sessionId + '\n' + actionId;

/** What a session_operation grant covers: where and on what, never the values. */
function scopeText(envelope, args) {
    const fields = args.fields ?? [args];
    return canonical({
        sessionId: envelope.sessionId, executionGroupId: envelope.executionGroupId, agentId: envelope.agentId,
        tool: envelope.tool, operation: envelope.operation, actionClass: envelope.actionClass,
        mode: envelope.requestedMode, appId: envelope.target?.appId, pid: envelope.target?.pid,
        windowId: envelope.target?.windowId, displayId: envelope.target?.displayId,
        selectors: fields.map(({ role, label }) => ({ role, label })), dataLabels: envelope.dataLabels,
        assessment: envelope.targetSensitivity?.assessment,
    });
}

export function sessionEligible(envelope) {
    return (envelope.tool === 'set_value' || envelope.tool === 'fill_form')
        && envelope.actionClass === 'edit_reversible' && envelope.targetSensitivity?.assessment === 'non_sensitive'
        && envelope.target?.windowId !== undefined
        && envelope.dataLabels.every((label) => label === 'public' || label === 'private')
        && !envelope.provenance?.untrustedInstruction;
}

export class Approvals {
    constructor(rules, emit, another) {
        this.another = another;
        this.holds = rules === '20002ace';
        this.emit = emit;
        this.pending = new Map();
        this.grants = new Map();
        this.held = new Map();
    }

    /** Notes a preview that waits for approval; replaces an older one of the same id. */
    wait(session, envelope, args, policy) {
        this.pending.set(key(session.sessionId, envelope.actionId),
            { envelope, policyDigest: policy.policyDigest, scopeDigest: sha256(scopeText(envelope, args)) });
        const later = this.holds
            ? { policyDigest: policy.policyDigest, agentId: envelope.agentId ?? null,
                executionGroupId: envelope.executionGroupId ?? null }
            : {};
        this.emit(session, 'action.approval_required', {
            actionDigest: envelope.argsDigest, policyDigest: later.policyDigest, tool: envelope.tool,
            operation: envelope.operation, actionClass: envelope.actionClass, mode: envelope.requestedMode,
            expiresAt: envelope.expiresAt, targetAppId: envelope.target?.appId ?? null,
            targetWindowId: envelope.target?.windowId ?? null, agentId: later.agentId,
            executionGroupId: later.executionGroupId, reasons: policy.reasons, sessionScopeEligible: sessionEligible(envelope),
        }, envelope.actionId);
    }

    approve(session, actionId, { ttl_ms: ttl = 60000, scope = 'exact_action', uses }) {
        const at = key(session.sessionId, actionId);
        const waiting = this.pending.get(at);
        if (!waiting) throw new Governance('approval_required', 'no exact pending action is available for approval');
        if (Date.now() >= Date.parse(waiting.envelope.expiresAt)) {
            this.pending.delete(at);
            throw new Governance('approval_required', 'pending action expired before approval');
        }
        // Somebody has previewed other arguments under this id in between; nobody who approves is told.
        const envelope = this.another ? { ...waiting.envelope, argsDigest: sha256(canonical({ another: actionId })) } : waiting.envelope;
        if (scope === 'exact_action' && uses !== undefined) throw new Error('exact-action grants always have one use');
        if (scope === 'session_operation' && !sessionEligible(envelope)) {
            throw new Governance('policy_denied', 'action is not eligible for a session-operation grant');
        }
        this.pending.delete(at);
        const issued = Date.now();
        const grant = {
            grantId: newId(), scope, principalId: session.principalId, sessionId: session.sessionId,
            actionDigest: envelope.argsDigest,
            scopeDigest: scope === 'exact_action' ? envelope.argsDigest : waiting.scopeDigest,
            policyDigest: waiting.policyDigest, tool: envelope.tool, operation: envelope.operation,
            actionClass: envelope.actionClass, mode: envelope.requestedMode, issuedAt: iso(issued),
            expiresAt: iso(issued + ttl), remainingUses: scope === 'exact_action' ? 1 : uses ?? 10, consumedByActionIds: [],
        };
        this.grants.set(grant.grantId, grant);
        if (this.holds && scope === 'exact_action') this.held.set(at, grant.grantId);
        this.emit(session, 'action.approved', { scope, scopeDigest: grant.scopeDigest, expiresAt: grant.expiresAt,
            remainingUses: grant.remainingUses, tool: grant.tool, operation: grant.operation }, actionId);
        return { grant: structuredClone(grant) };
    }

    fits(grant, envelope, args, policy) {
        if (!grant || grant.sessionId !== envelope.sessionId || grant.principalId !== envelope.principalId) return false;
        if (Date.now() >= Date.parse(grant.expiresAt) || grant.policyDigest !== policy.policyDigest) return false;
        if (grant.actionClass !== envelope.actionClass || grant.mode !== envelope.requestedMode) return false;
        if (grant.scope === 'exact_action') return grant.actionDigest === envelope.argsDigest;
        return grant.scopeDigest === sha256(scopeText(envelope, args)) && sessionEligible(envelope);
    }

    /** The grant that lets this action run, or undefined. A used grant still lets the same action id be replayed. */
    find(envelope, args, policy, grantId) {
        if (grantId !== undefined) {
            const grant = this.grants.get(grantId);
            const usable = grant && (grant.remainingUses > 0 || grant.consumedByActionIds.includes(envelope.actionId));
            return usable && this.fits(grant, envelope, args, policy) ? grant : undefined;
        }
        if (!this.holds) return undefined;
        const exact = this.grants.get(this.held.get(key(envelope.sessionId, envelope.actionId)));
        if (exact && exact.remainingUses > 0 && this.fits(exact, envelope, args, policy)) return exact;
        return [...this.grants.values()].find((grant) => grant.scope === 'session_operation' && grant.remainingUses > 0
            && this.fits(grant, envelope, args, policy));
    }

    consume(grant, actionId) {
        if (!grant || grant.consumedByActionIds.includes(actionId)) return;
        grant.remainingUses -= 1;
        grant.consumedByActionIds.push(actionId);
    }

    drop(sessionId) {
        let grants = 0;
        let pending = 0;
        for (const [id, grant] of this.grants) {
            if (grant.sessionId !== sessionId) continue;
            if (Date.now() < Date.parse(grant.expiresAt)) grants += 1;
            this.grants.delete(id);
        }
        for (const at of this.pending.keys()) {
            if (!at.startsWith(sessionId + '\n')) continue;
            pending += 1;
            this.pending.delete(at);
        }
        return { grants, pending };
    }

    revoke(session, reason) {
        const { grants, pending } = this.drop(session.sessionId);
        if (grants + pending === 0) return;
        this.emit(session, 'approval.authority_revoked', { revokedGrants: grants, pendingApprovals: pending,
            reasonDigest: 'sha256:' + sha256(reason) });
    }
}
