// The governed tools: the recorded conversation, digests, previews, approvals, execution, lease and reservations.

import fs from 'node:fs';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { Peer, ROOT, newAction, target, wait } from './kit.mjs';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function normal(value, name) {
    if (Array.isArray(value)) return value.map((one) => normal(one, name));
    if (value !== null && typeof value === 'object') {
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, normal(one, key)]));
    }
    if (typeof value !== 'string') return value;
    if (ID.test(value)) return '<id>';
    if (TIME.test(value)) return '<time>';
    if (/^sha256:[0-9a-f]{64}$/.test(value)) return '<sha256>';
    if (/^[0-9a-f]{64}$/.test(value)) return '<hex>';
    if (name === 'data' || name === 'text') return `<${name}>`;
    return value;
}

const at = (value, pointer) => pointer.slice(1).split('/').reduce((one, key) => one[key], value);

/** The arguments with the ids of this run in the place of the recorded ones. */
function fill(value, known) {
    if (Array.isArray(value)) return value.map((one) => fill(one, known));
    if (value !== null && typeof value === 'object') {
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, known)]));
    }
    if (typeof value !== 'string' || !value.startsWith('$')) return value;
    if (!known.has(value)) known.set(value, value === '$now' ? new Date().toISOString() : randomUUID());
    return known.get(value);
}

export async function transcript(tap) {
    const peer = await Peer.start();
    const known = new Map();
    const steps = JSON.parse(fs.readFileSync(new URL('./transcript.json', import.meta.url), 'utf8'));
    for (const step of steps) {
        const { reply } = await peer.call(step.tool, fill(step.arguments, known));
        tap.is(normal(reply), step.reply, `recorded: ${step.step}`);
        for (const [pointer, name] of Object.entries(step.keep)) known.set(name, at(reply.structuredContent, pointer));
        const whole = step.tool === 'execute_action' ? undefined : reply.structuredContent;
        if (whole) tap.is(JSON.parse(reply.content[0].text), whole, `text is the structured content: ${step.step}`);
    }
    await peer.end();
}

const snake = (object) => object && Object.fromEntries(Object.entries(object)
    .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase()), value]));

export async function digests(tap) {
    const peer = await Peer.start();
    await peer.session();
    const folder = path.join(ROOT, 'tests/vectors/argsdigest');
    for (const name of fs.readdirSync(folder).filter((one) => one.startsWith('recorded_'))) {
        const { envelope, arguments: inner, argsDigest } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
        const sensitive = envelope.targetSensitivity?.assessment === 'sensitive';
        const seen = await peer.get('preview_action', JSON.parse(JSON.stringify({
            session_id: peer.sessionId, tool: envelope.tool, operation: envelope.operation, arguments: inner,
            mode: envelope.requestedMode, target: snake(envelope.target), provenance: snake(envelope.provenance),
            postcondition: snake(envelope.postcondition),
            data_labels: envelope.dataLabels.filter((label) => !sensitive || label !== 'credential'),
        })));
        tap.is(seen.envelope.argsDigest, argsDigest, `digest ${name}`);
    }
    const rows = [
        ['names in the order of the locale', '5feab0c28e38214475d9f11333aa4a66bdb4a606904a0a6cee3fb3b2bc628e63',
            { Z: 8, z: 9, 'é': 7, B: 3, b: 1, ab: 2, 'a-b': 1, a_b: 3, A: 4, a: 2, 1: 6, _x: 5 }],
        ['numbers and escapes', '9b979caa577102f660b41603819ca3bbf21df4ec5958d46840f78aa228122e64', { arr: [1, null, { y: 1, x: 2 }],
            big: 1e21, n: 1, neg: -0, nul: null, s: 'é\u2028\u0001"\\/', small: 1e-7 }],
    ];
    for (const [name, want, inner] of rows) {
        const seen = await peer.get('preview_action', peer.clip({ arguments: inner }));
        tap.is(seen.envelope.argsDigest, want, `digest: ${name}`);
    }
    await peer.end();
}

export async function previews(tap) {
    const peer = await Peer.start(['--outside-profile', 'zoom']);
    await peer.session();
    const look = async (more) => {
        const { value } = await peer.call('preview_action', { session_id: peer.sessionId, arguments: {}, mode: 'foreground',
            data_labels: ['public'], ...more });
        return value.error ?? [value.blocker ?? 'none', value.policy.decision, value.envelope.actionClass];
    };
    const field = (label, role) => ({ tool: 'set_value', target: target(), arguments: { window_id: 7, role, label, value: 'x' } });
    const rows = [
        ['an observation', { tool: 'list_windows', mode: 'shadow' }, ['none', 'allow', 'observe']],
        ['shadow mutation', { tool: 'write_clipboard', mode: 'shadow' }, ['shadow_mutation', 'allow', 'edit_reversible']],
        ['background click', { tool: 'left_click', mode: 'background' }, ['foreground_required', 'allow', 'navigate']],
        ['denied in the wrong mode', { tool: 'registry', mode: 'foreground', arguments: { mode: 'set' } },
            ['policy_denied', 'deny', 'privilege_change']],
        ['file written', { tool: 'filesystem', arguments: { mode: 'write', path: '/a' } }, ['policy_denied', 'deny', 'edit_reversible']],
        ['file read', { tool: 'filesystem', mode: 'background', arguments: { mode: 'read', path: '/etc/shadow' } },
            ['none', 'allow', 'observe']],
        ['click without evidence', { tool: 'left_click' }, ['target_evidence_required', 'allow', 'navigate']],
        ['field not found', field('Nobody'), ['sensitivity_unavailable', 'confirm', 'edit_reversible']],
        ['registry postcondition', { tool: 'write_clipboard', mode: 'background',
            postcondition: { kind: 'registry', path: 'p', name: 'n', exists: true } },
        ['postcondition_unavailable', 'allow', 'edit_reversible']],
        ['notification', { tool: 'notification', mode: 'background' }, ['approval_required', 'confirm', 'communicate_external']],
        ['clipboard read', { tool: 'read_clipboard', mode: 'background' }, ['approval_required', 'confirm', 'secret_access']],
        ['plain field', field('Name', 'AXTextField'), ['approval_required', 'confirm', 'edit_reversible']],
        ['a shipping city is a pin', field('Shipping city'), ['approval_required', 'confirm', 'secret_access']],
        ['untrusted script', { tool: 'run_script', provenance: { untrusted_instruction: true, source_observation_ids: [] } },
            ['policy_denied', 'deny', 'privilege_change']],
        ['untrusted click', { tool: 'left_click', target: target(),
            provenance: { untrusted_instruction: true, source_observation_ids: [] } }, ['approval_required', 'confirm', 'navigate']],
        ['payment label', { tool: 'write_clipboard', data_labels: ['payment'] }, ['approval_required', 'confirm', 'edit_reversible']],
        ['unknown tool', { tool: 'nope' }, 'unknown_tool'], ['a governed tool', { tool: 'start_session' }, 'unknown_tool'],
        ['outside the profile', { tool: 'zoom' }, 'tool_outside_host_profile'],
        ['provider tool', { tool: 'openai_computer' }, 'provider_adapter_requires_translation'],
    ];
    for (const [name, more, want] of rows) tap.is(await look(more), want, `preview: ${name}`);
    const labels = (await peer.get('preview_action', { session_id: peer.sessionId, mode: 'foreground', ...field('Shipping city'),
        data_labels: ['private'] })).envelope;
    tap.is([labels.dataLabels, labels.targetSensitivity.signals], [['private', 'credential'], ['sensitive_label']],
        'a sensitive field adds the label credential');
    const one = await peer.get('preview_action', { session_id: peer.sessionId, tool: 'filesystem', mode: 'background',
        arguments: { mode: 'read' }, principal_id: 'x' });
    tap.is([one.envelope.operation, one.envelope.principalId, one.envelope.dataLabels],
        ['filesystem.read', 'operator-1', ['unknown']], 'defaults of a preview');
    await peer.end();
}

export async function approvals(tap) {
    const peer = await Peer.start();
    await peer.session();
    const session_id = peer.sessionId;
    const first = peer.notify();
    const shown = await peer.get('preview_action', first);
    await peer.get('preview_action', { ...first, arguments: { title: 'Other', message: 'x' } });
    const { grant } = await peer.get('approve_action', { session_id, action_id: first.action_id });
    tap.ok(grant.actionDigest !== shown.envelope.argsDigest, 'F17: the latest preview is approved, not the one shown');
    tap.is((await peer.call('approve_action', { session_id, action_id: first.action_id })).value.message,
        'no exact pending action is available for approval', 'a second approval finds nothing');
    const bad = await peer.call('approve_action', { session_id, action_id: first.action_id, ttl_ms: 1 });
    tap.ok(bad.bad && bad.value === undefined, 'a ttl below its limit is a validation error');

    tap.is((await peer.get('preview_action', { ...first, arguments: { title: 'Third', message: 'x' },
        approval_grant_id: grant.grantId })).blocker, 'approval_required', 'a grant is for one digest');
    const second = peer.notify();
    await peer.get('preview_action', second);
    const held = await peer.get('approve_action', { session_id, action_id: second.action_id });
    tap.is((await peer.get('preview_action', second)).executable, true, 'an approved action is executable without its grant');
    tap.is((await peer.get('preview_action', { ...second, approval_grant_id: 'bogus' })).blocker, 'approval_required',
        'a grant that does not exist blocks');
    tap.is((await peer.call('execute_action', second)).error, 'lease_conflict', 'F9: approved, but no lease');
    const grantId = held.grant.grantId;
    tap.is((await peer.act({ ...second, approval_grant_id: grantId })).value.receipt.error.code, 'lease_conflict',
        'F9: the rejected id is dead, also with grant and lease');
    tap.is((await peer.act({ ...second, action_id: newAction(), approval_grant_id: grantId })).error, 'approval_required',
        'F9: the approval is burned');

    const third = peer.notify();
    await peer.get('preview_action', third);
    await peer.get('approve_action', { session_id, action_id: third.action_id });
    tap.is((await peer.act(third)).value.receipt.status, 'committed', 'the held grant lets it run');
    tap.is((await peer.act(third)).error, 'approval_required', 'F6: its replay without the grant is refused');

    const late = peer.notify({ expires_in_ms: 50 });
    await peer.get('preview_action', late);
    await wait(80);
    tap.is((await peer.call('approve_action', { session_id, action_id: late.action_id })).value.message,
        'pending action expired before approval', 'an expired preview cannot be approved');
    const clip = peer.clip({ expires_in_ms: 1 });
    await peer.get('preview_action', clip);
    await wait(20);
    tap.is((await peer.act(clip)).value.receipt.status, 'committed', 'F22: an expired preview does not stop execute');

    await sessionGrants(tap, peer);
    const last = peer.notify();
    await peer.get('preview_action', last);
    await peer.get('approve_action', { session_id, action_id: last.action_id });
    await peer.get('pause_session', { session_id });
    await peer.get('resume_session', { session_id });
    tap.is((await peer.get('preview_action', last)).blocker, 'approval_required', 'a pause takes the approvals');
    tap.ok((await peer.events('approval.authority_revoked')).length > 0, 'and says so in an event');
    await peer.end();
}

async function sessionGrants(tap, peer) {
    const set = (value, more) => ({ session_id: peer.sessionId, action_id: newAction(), tool: 'set_value', mode: 'foreground',
        target: target(), data_labels: ['private'], arguments: { window_id: 7, role: 'AXTextField', label: 'Name', value }, ...more });
    const first = set('a');
    await peer.get('preview_action', first);
    const { grant } = await peer.get('approve_action', { session_id: peer.sessionId, action_id: first.action_id,
        scope: 'session_operation', uses: 2 });
    tap.is([grant.scope, grant.remainingUses, Object.keys(grant).length], ['session_operation', 2, 15], 'a session grant');
    const seen = await peer.get('preview_action', set('b'));
    tap.is([seen.executable, seen.policy.decision, 'grantId' in seen.policy], [true, 'confirm', false],
        'F19: another value is executable in silence');
    tap.is((await peer.act(set('b'))).value.receipt.status, 'committed', 'F19: and runs');
    tap.is((await peer.get('preview_action', set('c', { agent_id: 'other' }))).blocker, 'approval_required',
        'another agent is outside its scope');
    const clip = peer.notify();
    await peer.get('preview_action', clip);
    tap.is((await peer.call('approve_action', { session_id: peer.sessionId, action_id: clip.action_id,
        scope: 'session_operation' })).bad, true, 'a notification cannot be approved for a session');
    tap.is((await peer.call('approve_action', { session_id: peer.sessionId, action_id: clip.action_id, uses: 3 })).error,
        'runtime_error', 'an exact grant has one use');
}

export async function olderRules(tap) {
    const peer = await Peer.start(['--rules', 'ee3ecc0b']);
    await peer.session();
    const one = peer.notify();
    await peer.get('preview_action', one);
    const { grant } = await peer.get('approve_action', { session_id: peer.sessionId, action_id: one.action_id });
    tap.is((await peer.get('preview_action', one)).blocker, 'approval_required', 'older rules: an approval is not held');
    tap.is((await peer.act({ ...one, approval_grant_id: grant.grantId })).value.receipt.status, 'committed', 'the grant runs it');
    tap.is((await peer.call('execute_action', { ...one, approval_grant_id: grant.grantId })).value.replay, true,
        'and lets the same id be replayed');
    const set = { session_id: peer.sessionId, action_id: newAction(), tool: 'set_value', mode: 'foreground', target: target(),
        data_labels: ['private'], arguments: { window_id: 7, role: 'AXTextField', label: 'Name', value: 'a' } };
    await peer.get('preview_action', set);
    const open = await peer.get('approve_action', { session_id: peer.sessionId, action_id: set.action_id, scope: 'session_operation' });
    tap.is((await peer.get('preview_action', set)).blocker, 'approval_required', 'nor is a session grant');
    tap.is((await peer.get('preview_action', { ...set, approval_grant_id: open.grant.grantId })).executable, true, 'unless it is named');
    const [asked] = await peer.events('action.approval_required');
    tap.is(['policyDigest' in asked.payload, 'agentId' in asked.payload], [false, false], 'and its event has no newer members');
    await peer.end();
}
