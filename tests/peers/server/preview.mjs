// What preview_action says: the envelope with its digest, the capability, the policy's decision and what blocks it.
// Uses lowlevel, policy, approvals and the desktop (only to look). It changes nothing but what waits for approval.

import * as low from './lowlevel.mjs';
import { Answer, Governance, canonical, compact, iso, now, sha256 } from './shapes.mjs';

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const camelKeys = (object) => object && compact(Object.fromEntries(
    Object.entries(object).map(([name, value]) => [camel(name), value])));

function resourceOf(tool, args, target) {
    const string = (value) => (typeof value === 'string' ? value : undefined);
    const id = (value) => (typeof value === 'string' || typeof value === 'number' ? value : undefined);
    return compact({
        targetAppId: target?.appId ?? string(args.target_app) ?? string(args.bundle_id),
        targetWindowId: target ? target.windowId : id(args.target_window_id) ?? id(args.window_id),
        filesystemPath: tool === 'filesystem' ? string(args.path) : undefined,
        filesystemDestination: tool === 'filesystem' ? string(args.destination) : undefined,
        registryPath: tool === 'registry' ? string(args.path) : undefined,
        processName: tool === 'process_kill' ? string(args.name) : undefined,
        processId: tool === 'process_kill' && typeof args.pid === 'number' ? args.pid : undefined,
        browserDomain: tool === 'scrape' && typeof args.url === 'string' && URL.canParse(args.url)
            ? new URL(args.url).hostname : undefined,
    });
}

const EXPECTED = { window: ['exists', 'absent'], ui_element: ['exists', 'absent'], filesystem: ['exists', 'absent'],
    registry: ['exists', 'absent'] };

/** What the events say of a postcondition. */
export function postconditionFacts(postcondition) {
    if (!postcondition) return {};
    const { kind } = postcondition;
    return {
        postconditionKind: kind,
        postconditionExpectedState: kind === 'process' ? 'not_running' : EXPECTED[kind][postcondition.exists ? 0 : 1],
        postconditionExpectedDigest: postcondition.valueDigest ?? postcondition.contentDigest,
    };
}

export class Preview {
    constructor(options, desktop, policy, approvals, events) {
        Object.assign(this, { options, desktop, policy, approvals, events });
    }

    sensitivity(tool, args, target) {
        if (tool !== 'set_value' && tool !== 'fill_form') return undefined;
        const fields = tool === 'fill_form' ? args.fields ?? [] : [args];
        const observedAt = now();
        const unknown = (signal) => ({ assessment: 'unknown', source: 'unavailable', signals: [signal], fieldsChecked: 0,
            observedAt });
        if (target?.windowId === undefined || !this.desktop.window(target.windowId)) return unknown('inspection_error');
        if (!Array.isArray(fields) || fields.length === 0) return unknown('invalid_field');
        const signals = new Set();
        for (const field of fields) {
            const found = this.desktop.elements(target.windowId, { role: field.role, label: field.label });
            if (found.length === 0) return unknown('element_not_found');
            if (found.length > 1) return unknown('ambiguous_match');
            low.secretSignals(found[0]).forEach((signal) => signals.add(signal));
        }
        return { assessment: signals.size > 0 ? 'sensitive' : 'non_sensitive', source: 'accessibility',
            signals: [...signals], fieldsChecked: fields.length, observedAt };
    }

    envelope(session, args) {
        const { tool, arguments: inner } = args;
        const target = args.target && { ...camelKeys(args.target) };
        const targetSensitivity = this.sensitivity(tool, inner, target);
        const sensitive = targetSensitivity?.assessment === 'sensitive';
        const actionClass = sensitive ? 'secret_access' : low.actionClass(tool, inner);
        const labels = args.data_labels ?? ['unknown'];
        const operation = args.operation ?? (typeof inner.mode === 'string' ? `${tool}.${inner.mode}` : tool);
        const resource = resourceOf(tool, inner, target);
        const proposed = Date.now();
        const envelope = compact({
            actionId: args.action_id, sessionId: session.sessionId, executionGroupId: args.execution_group_id,
            principalId: session.principalId, agentId: args.agent_id, tool, operation, actionClass,
            requestedMode: args.mode, target, targetSensitivity,
            resource: Object.keys(resource).length > 0 ? resource : undefined, provenance: camelKeys(args.provenance),
            dataLabels: sensitive && !labels.includes('credential') ? [...labels, 'credential'] : labels,
            postcondition: camelKeys(args.postcondition), reversible: low.reversible(actionClass),
            externalSideEffect: low.external(tool, inner), proposedAt: iso(proposed),
            expiresAt: iso(proposed + (args.expires_in_ms ?? 30000)),
        });
        envelope.argsDigest = sha256(canonical({
            args: inner, dataLabels: envelope.dataLabels, mode: args.mode, operation, postcondition: envelope.postcondition,
            provenance: envelope.provenance, resource, target,
            targetSensitivity: targetSensitivity && compact({ ...targetSensitivity, observedAt: undefined }),
            tool,
        }));
        return envelope;
    }

    /** Postconditions that this host cannot read back. */
    unbindable({ postcondition, target }) {
        if (!postcondition) return false;
        if (postcondition.kind === 'registry') return true;
        return postcondition.kind === 'ui_element' && typeof target?.windowId !== 'number';
    }

    blocker(envelope, args, capability, policy) {
        const { tool } = envelope;
        const acts = low.mutates(tool, args.arguments);
        if (acts && args.mode === 'shadow') return 'shadow_mutation';
        if (!capability.supportedModes.includes(args.mode)) return 'foreground_required';
        if (acts && low.needsMonitor(tool) && this.options.noInputMonitor) return 'input_attribution_unavailable';
        if (policy.decision === 'deny') return 'policy_denied';
        if (acts && low.needsEvidence(tool) && !envelope.target) return 'target_evidence_required';
        if (envelope.targetSensitivity?.assessment === 'unknown') return 'sensitivity_unavailable';
        if (this.unbindable(envelope)) return 'postcondition_unavailable';
        return undefined;
    }

    check(tool) {
        if (tool === 'openai_computer') {
            throw new Answer({ error: 'provider_adapter_requires_translation',
                remediation: 'translate the provider action into a low-level tool call' });
        }
        if (this.options.outsideProfile.includes(tool)) throw new Answer({ error: 'tool_outside_host_profile', tool });
        if (!low.lowLevel(tool)) throw new Answer({ error: 'unknown_tool', tool });
    }

    /** The preview, with the grant that would let it run. */
    look(session, args) {
        this.check(args.tool);
        const envelope = this.envelope(session, args);
        const capability = low.capability(args.tool, envelope.resource?.targetAppId);
        const policy = this.policy.decide(envelope);
        let blocker = this.blocker(envelope, args, capability, policy);
        let grant;
        if (!blocker && policy.decision === 'confirm') {
            grant = this.approvals.find(envelope, args.arguments, policy, args.approval_grant_id);
            if (!grant) blocker = 'approval_required';
        }
        const automatic = low.automaticCheck(args.tool, args.arguments);
        const seen = envelope.targetSensitivity;
        this.events.emit(session, 'action.previewed', {
            tool: args.tool, operation: envelope.operation, mode: args.mode, actionClass: envelope.actionClass,
            interference: capability.interference, policyDecision: policy.decision, executable: !blocker,
            verificationRequired: envelope.postcondition !== undefined || automatic !== undefined, blocker,
            sensitivityAssessment: seen?.assessment, sensitivitySource: seen?.source, sensitivitySignals: seen?.signals,
            ...postconditionFacts(envelope.postcondition),
        }, envelope.actionId);
        if (blocker === 'approval_required') this.approvals.wait(session, envelope, args.arguments, policy);
        return { preview: compact({ envelope, capability, policy, executable: !blocker, blocker }), grant };
    }
}

const MESSAGES = {
    shadow_mutation: 'shadow mode cannot mutate the desktop', foreground_required: 'operation requires foreground execution',
    input_attribution_unavailable: 'physical input requires an attributed input monitor',
    policy_denied: 'policy denied the action', sensitivity_unavailable: 'target sensitivity could not be determined',
    postcondition_unavailable: 'postcondition cannot be verified on this host',
    approval_required: 'policy requires an action-bound approval',
};

/** The error of an execute whose preview is blocked. */
export function blocked({ blocker, policy }) {
    if (blocker === 'target_evidence_required') return new Governance('stale_target', 'target evidence is required');
    const details = ['approval_required', 'policy_denied'].includes(blocker) ? { policy } : {};
    return new Governance(blocker, MESSAGES[blocker], details);
}
