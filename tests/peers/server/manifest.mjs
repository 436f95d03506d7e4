// What the server says of itself in computer://capabilities/manifest. Uses lowlevel. A pure function of the options.

import { lowLevelNames, lowLevel, capability } from './lowlevel.mjs';
import { canonical, now, sha256 } from './shapes.mjs';

export function manifest(options) {
    const body = {
        schemaVersion: 1,
        ...(options.noV8 ? {} : { runtimeApiVersion: 8 }),
        compatibility: { v7WireToolCount: lowLevelNames.length, additiveV8: !options.noV8 },
        host: { platform: options.platform, architecture: 'x64', maximumProfile: 'full', activeProfile: options.profile },
        executionModes: ['shadow', 'background', 'foreground'],
        features: {
            lifecycle: true, targetEvidence: true, policyV2: true, leases: true, receipts: true, sessionResources: true,
            supervisorLocalIpc: true, supervisorIpcConfigured: options.supervisorSocket !== undefined,
            supervisorFramesEnabled: false, browserBridgeConfigured: false,
            physicalInputRequiresAttributedMonitor: options.noInputMonitor, experimentalMcpTasks: false,
            remoteSidecar: { available: true, configured: options.http, defaultBind: 'loopback', publicIngressSupported: false },
            durableSessions: options.durableSessions !== undefined, durableReceipts: options.durableReceipts !== undefined,
            durableEvents: options.eventJournal !== undefined,
        },
        inputMonitor: { supported: !options.noInputMonitor, backend: 'manual_test_monitor', distinguishesInjected: true,
            recommendedPollMs: 0 },
        actuators: lowLevelNames.map((tool) => ({ tool, exposed: options.rawTools || options.noV8,
            mutates: lowLevel(tool).mutates, capabilities: [capability(tool)] })),
        generatedAt: now(),
    };
    return { ...body, manifestDigest: 'sha256:' + sha256(canonical({ ...body, generatedAt: '' })) };
}
