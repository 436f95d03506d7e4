// The policy decision of a preview: the first rule that matches decides. Uses shapes for the digest of its configuration.
// A pure function of the action; it grants nothing and knows nothing of approvals.

import { canonical, sha256 } from './shapes.mjs';

const CONFIRM = ['communicate_external', 'authentication', 'financial', 'destructive', 'privilege_change', 'secret_access'];
const NEVER_UNTRUSTED = ['authentication', 'financial', 'destructive', 'privilege_change'];

export class Policy {
    constructor(options) {
        this.config = {
            disabledTools: options.disabledTool, blockedApps: options.blockedApp, allowedApps: options.allowedApp,
            confirmApps: options.confirmApp, filesystemRoots: options.fsRoot, minimumConfidence: options.minimumConfidence,
            confirmClasses: CONFIRM,
        };
        this.digest = 'sha256:' + sha256(canonical(this.config));
    }

    deny(envelope) {
        const { config } = this;
        const { tool, target, resource = {}, actionClass, provenance } = envelope;
        const app = resource.targetAppId;
        if (config.disabledTools.includes(tool)) return 'tool_disabled';
        if (app !== undefined && config.blockedApps.includes(app)) return 'blocked_app';
        if (app !== undefined && config.allowedApps.length > 0 && !config.allowedApps.includes(app)) return 'app_not_allowed';
        if (target && target.confidence < config.minimumConfidence) return 'target_confidence';
        if (tool === 'filesystem' && actionClass !== 'observe') {
            if (config.filesystemRoots.length === 0) return 'filesystem_roots_not_configured';
            const inside = (file) => file === undefined
                || config.filesystemRoots.some((root) => file === root || file.startsWith(root.replace(/\/?$/, '/')));
            if (!inside(resource.filesystemPath) || !inside(resource.filesystemDestination)) return 'path_outside_roots';
        }
        if (tool === 'registry' && actionClass !== 'observe') return 'registry_hive_not_allowed';
        if (provenance?.untrustedInstruction && NEVER_UNTRUSTED.includes(actionClass)) return 'untrusted_provenance';
        return undefined;
    }

    confirm(envelope) {
        const { actionClass, resource = {}, externalSideEffect, dataLabels, provenance } = envelope;
        if (provenance?.untrustedInstruction) return 'untrusted_provenance';
        if (this.config.confirmApps.includes(resource.targetAppId)) return 'confirm_app';
        if (CONFIRM.includes(actionClass)) return actionClass;
        if (actionClass === 'edit_reversible' && externalSideEffect) return 'edit_reversible';
        const label = dataLabels.find((one) => one === 'credential' || one === 'payment');
        return label && `data_label_${label}`;
    }

    decide(envelope) {
        const denied = this.deny(envelope);
        if (denied) return { decision: 'deny', policyDigest: this.digest, reasons: [`deny:${denied}`] };
        const confirmed = this.confirm(envelope);
        if (confirmed) return { decision: 'confirm', policyDigest: this.digest, reasons: [`confirm:${confirmed}`] };
        return { decision: 'allow', policyDigest: this.digest, reasons: [`allow:${envelope.actionClass}`] };
    }
}
