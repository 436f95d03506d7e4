// The arguments of the twenty-two tools as zod shapes, with their descriptions and hints.
// Uses zod. Unknown members are dropped by zod, null is refused everywhere but inside `arguments`.

import { z } from 'zod';

const session = { session_id: z.string() };
const reason = { reason: z.string().optional() };
const token = { approval_token: z.string().optional() };
const id = () => z.union([z.string(), z.number()]);
const page = { after_sequence: z.number().int().min(0).optional(), limit: z.number().int().positive().max(1000).optional() };
const ttl = z.number().int().positive().max(300000);
const digest = z.string().regex(/^sha256:[a-f0-9]{64}$/).optional();

const target = z.object({
    platform: z.enum(['darwin', 'win32', 'linux', 'aix', 'android', 'freebsd', 'haiku', 'openbsd', 'sunos', 'cygwin', 'netbsd']),
    app_id: z.string(), pid: z.number().int().optional(), window_id: id().optional(),
    window_title_digest: z.string().optional(), display_id: z.string().optional(), role: z.string().optional(),
    label_digest: z.string().optional(),
    bounds: z.object({ x: z.number(), y: z.number(), width: z.number().min(0), height: z.number().min(0) }).optional(),
    observation_id: z.string(), screenshot_hash: z.string().optional(), ui_tree_revision: z.string().optional(),
    confidence: z.number().min(0).max(1), captured_at: z.string(),
});

const postcondition = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('ui_element'), role: z.string().optional(), label: z.string().optional(),
        exists: z.boolean(), value_digest: digest }),
    z.object({ kind: z.literal('filesystem'), path: z.string(), exists: z.boolean(), content_digest: digest }),
    z.object({ kind: z.literal('registry'), path: z.string(), name: z.string(), exists: z.boolean(), value_digest: digest }),
    z.object({ kind: z.literal('process'), pid: z.number().int().positive(), running: z.literal(false) }),
    z.object({ kind: z.literal('window'), window_id: z.number().int().min(0), exists: z.boolean() }),
]).describe('Digest-only expected state, bound into the action digest and read back after execution');

const action = {
    ...session, action_id: z.string().describe('Required for execute_action; stable across retries').optional(),
    attempt: z.number().int().positive().optional(), execution_group_id: z.string().optional(),
    agent_id: z.string().describe('Untrusted attribution label; principal identity comes from the host').optional(),
    tool: z.string().describe('Existing low-level tool to preview or execute'), operation: z.string().optional(),
    certification_id: z.string().regex(/^cert_[a-f0-9]{32}$/).optional(),
    arguments: z.record(z.string(), z.unknown()), mode: z.enum(['shadow', 'background', 'foreground']),
    target: target.optional(), postcondition: postcondition.optional(),
    data_labels: z.array(z.enum(['public', 'private', 'credential', 'payment', 'health', 'unknown'])).optional(),
    provenance: z.object({ untrusted_instruction: z.boolean(), source_observation_ids: z.array(z.string()),
        crosses_data_boundary: z.boolean().optional() }).optional(),
    expires_in_ms: z.number().int().positive().max(300000).optional(), approval_grant_id: z.string().optional(),
};

const reads = (description, shape, scope = 'observe') => ({ description, shape, readOnly: true, scope });
const acts = (description, shape, scope, more = {}) => ({ description, shape: { ...shape, ...token }, scope, ...more });

export const TOOLS = {
    start_session: acts('Start an attributable session.',
        { objective: z.string().optional(), execution_group_id: z.string().optional() }, 'control'),
    get_session: reads('Read the lifecycle state of a session.', session),
    pause_session: acts('Pause a session after revoking its lease.', { ...session, ...reason }, 'control'),
    resume_session: acts('Resume a paused session.', { ...session, ...reason }, 'control'),
    take_over: acts('Let the host user take over at once.', { ...session, ...reason }, 'control'),
    stop_session: acts('Stop a session for good.', { ...session, ...reason }, 'control'),
    approve_action: acts('Issue a short-lived grant for the pending action.', {
        ...session, action_id: z.string(), ttl_ms: z.number().int().min(1000).max(300000).optional(),
        scope: z.enum(['exact_action', 'session_operation']).optional(), uses: z.number().int().min(1).max(20).optional(),
    }, 'approve'),
    complete_session: acts('Complete a running session.', {
        ...session, summary: z.string(),
        postconditions: z.array(z.object({ description: z.string(), satisfied: z.boolean(), evidence_hash: z.string().optional() })),
        last_app_id: z.string().optional(), last_window_id: id().optional(),
        action_counts: z.record(z.string(), z.number().int().min(0)), ...reason,
    }, 'control'),
    get_session_events: reads('Read redacted events with a cursor.', { ...session, ...page }),
    submit_follow_up: acts('Submit a bounded steering instruction.',
        { ...session, instruction: z.string().min(1).max(16384) }, 'control'),
    get_follow_ups: reads('Read steering instructions with a cursor.', { ...session, ...page }),
    delete_session: acts('Delete one terminal session.', { ...session, confirm: z.literal(true) }, 'control'),
    prune_sessions: acts('Delete old terminal sessions.', {
        older_than: z.string(), limit: z.number().int().positive().max(1000).optional(), confirm: z.literal(true),
    }, 'control'),
    reserve_target: acts('Declare short-lived intent for a target.', {
        ...session, intent_id: z.string(), execution_group_id: z.string().optional(), agent_id: z.string().optional(),
        app_id: z.string(), window_id: id().optional(), ttl_ms: ttl,
    }, 'execute'),
    release_target_reservation: acts('Release a reservation.', { ...session, reservation_id: z.string() }, 'execute'),
    get_execution_capabilities: reads('Report modes and interference of an operation.',
        { tool: z.string(), app_id: z.string().optional() }),
    get_certification_trace: reads('Read a certification trace.',
        { certification_id: z.string().regex(/^cert_[a-f0-9]{32}$/) }),
    preview_action: reads('Classify and preview an action without acting.', action),
    execute_action: acts('Execute an approved action once.', { ...action, action_id: z.string(), lease_id: z.string().optional() },
        'execute', { openWorld: true }),
    acquire_control_lease: acts('Acquire or queue the single control lease.', {
        ...session, agent_id: z.string().optional(), kind: z.enum(['cooperative', 'exclusive']),
        mode: z.enum(['background', 'foreground']), ttl_ms: ttl, action_budget: z.number().int().positive().max(10000),
        priority: z.number().int().optional(), app_ids: z.array(z.string()).optional(), window_ids: z.array(id()).optional(),
        display_ids: z.array(z.string()).optional(),
    }, 'execute'),
    release_control_lease: acts('Release the control lease.', { lease_id: z.string() }, 'execute'),
    emergency_stop: acts('Revoke control and refuse queued requests.', reason, 'control',
        { destructive: true, idempotent: true }),
};

/** A raw low-level tool takes anything. */
export const rawShape = z.looseObject({});
