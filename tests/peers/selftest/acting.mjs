// Execution, receipts, the lease and reservations: what happens once, what never happens, and who is told what.

import { createHash } from 'node:crypto';
import { Peer, newAction, target, wait } from './kit.mjs';

const hex = (text) => createHash('sha256').update(text).digest('hex');

export async function execution(tap) {
    const peer = await Peer.start();
    await peer.session();
    const clip = peer.clip();
    const { value } = await peer.act(clip);
    tap.is([value.replay, 'output' in value, value.receipt.result.content[0].text], [false, false, 'Clipboard updated'],
        'a tool without structured content has no output');
    tap.is((await peer.call('execute_action', clip)).value.replay, true, 'a committed receipt is replayed, without any lease');
    tap.is((await peer.call('execute_action', { ...clip, arguments: { text: 'other' } })).error, 'action_id_conflict',
        'the same id with other arguments');
    tap.is((await peer.call('execute_action', { ...clip, action_id: '' })).error, 'runtime_error', 'an empty id');
    tap.is(peer.effects().map((one) => [one.actionId, one.tool]), [[clip.action_id, 'write_clipboard']], 'one effect in the file');

    const save = peer.press('Save', { target: target({ window_title_digest: hex('Report.txt') }) });
    tap.is((await peer.act(save)).error, 'stale_target', 'F5: saved, and answered stale_target');
    tap.is(peer.effects().length, 2, 'F5: the effect happened');
    tap.is((await peer.act(save)).value.receipt.status, 'indeterminate', 'F5: its receipt is indeterminate');
    const close = peer.press('Close');
    tap.is((await peer.act(close)).error, 'stale_target', 'F5: closed, and answered stale_target');
    const told = (await peer.events()).filter((one) => one.actionId === close.action_id);
    tap.is(told.map((one) => one.type), ['action.previewed', 'action.started', 'action.verified', 'action.indeterminate'],
        'its events');
    tap.is(told[2].payload, { verified: true, method: 'fresh_window_identity', checks: 0 }, 'verified, though the window is gone');
    const look = { session_id: peer.sessionId, action_id: newAction(), tool: 'get_ui_tree', arguments: { window_id: 7 },
        mode: 'shadow', data_labels: ['public'] };
    const failed = await peer.call('execute_action', look);
    tap.is([failed.error, failed.value.details], ['execution_failed', { tool: 'get_ui_tree', handler: { reported: true,
        error: 'window_not_found' } }], 'an observation that failed');
    tap.is((await peer.call('execute_action', peer.press('Name', { target: undefined }))).error, 'stale_target',
        'F5: no evidence is stale_target too');
    await peer.get('pause_session', { session_id: peer.sessionId });
    tap.is((await peer.call('execute_action', clip)).error, 'session_not_running', 'F6: no replay while paused');
    tap.is((await peer.call('execute_action', { ...clip, session_id: 'nope' })).error, 'session_not_found', 'unknown session');
    await peer.end();
}

export async function evidence(tap) {
    const peer = await Peer.start();
    await peer.session();
    const { leaseId } = await peer.lease({ action_budget: 1000 });
    let lease = leaseId;
    const click = async (more) => {
        const done = await peer.call('execute_action', { session_id: peer.sessionId, action_id: newAction(), tool: 'left_click',
            arguments: { coordinate: [1, 1] }, mode: 'foreground', data_labels: ['public'], target: target(more), lease_id: lease });
        return done.error ?? done.value.receipt.status;
    };
    const old = (ms) => new Date(Date.now() - ms).toISOString();
    const rows = [
        ['plain', {}, 'committed'], ['garbage time (F23)', { captured_at: 'garbage' }, 'committed'],
        ['far future (F23)', { captured_at: '2999-01-01T00:00:00Z' }, 'committed'], ['31 s old', { captured_at: old(31000) }, 'stale_target'],
        ['29 s old', { captured_at: old(29000) }, 'committed'], ['screenshot hash (F24)', { screenshot_hash: 'x' }, 'stale_target'],
        ['tree revision (F24)', { ui_tree_revision: 'x' }, 'stale_target'], ['role (F24)', { role: 'x' }, 'stale_target'],
        ['string window id', { window_id: '7' }, 'stale_target'], ['no window id', { window_id: undefined }, 'stale_target'],
        ['title digest', { window_title_digest: hex('Report.txt') }, 'committed'],
        ['prefixed title digest', { window_title_digest: 'sha256:' + hex('Report.txt') }, 'stale_target'],
        ['other platform', { platform: 'darwin' }, 'stale_target'], ['other case', { app_id: 'org.example.editor' }, 'stale_target'],
        ['other pid', { pid: 1 }, 'stale_target'], ['bounds within 4', { bounds: { x: 104, y: 80, width: 800, height: 600 } }, 'committed'],
        ['bounds beyond 4', { bounds: { x: 105, y: 80, width: 800, height: 600 } }, 'stale_target'],
    ];
    for (const [name, more, want] of rows) {
        tap.is(await click(more), want, `evidence: ${name}`);
    }
    tap.is((await peer.events('action.rejected')).length, rows.filter((row) => row[2] !== 'committed').length,
        'all of them rejected before the effect');
    lease = undefined;
    tap.is(await click({}), 'lease_conflict', 'no lease');
    const set = { session_id: peer.sessionId, action_id: newAction(), tool: 'set_value', mode: 'foreground',
        target: target({ captured_at: old(31000) }), data_labels: ['private'],
        arguments: { window_id: 7, role: 'AXTextField', label: 'Name', value: 'v' } };
    await peer.get('preview_action', set);
    const { grant } = await peer.get('approve_action', { session_id: peer.sessionId, action_id: set.action_id });
    const done = await peer.call('execute_action', { ...set, lease_id: leaseId, approval_grant_id: grant.grantId });
    tap.is(done.value.receipt?.status, 'committed', 'aged evidence of an approved action is not asked');
    const [, verified] = (await peer.events('action.verified')).slice(-2);
    tap.is([verified.payload.method, verified.payload.checks], ['postcondition.ui_element', 1], 'a set value is read back');
    await peer.end();
}

export async function leases(tap) {
    const peer = await Peer.start();
    await peer.session();
    const ask = (more = {}) => ({ session_id: peer.sessionId, kind: 'cooperative', mode: 'background', ttl_ms: 20000,
        action_budget: 1, ...more });
    let granted;
    await peer.lease({ ttl_ms: 150 });
    peer.call('acquire_control_lease', ask({ ttl_ms: 10000 })).then((one) => { granted = one.value.lease; });
    await wait(300);
    await peer.get('get_session', { session_id: peer.sessionId });
    tap.is((await peer.call('release_control_lease', { lease_id: 'other' })).value, { error: 'lease_not_active', lease_id: 'other' },
        'release of another id');
    await wait(100);
    tap.is(granted, undefined, 'F1: a queued lease is not granted when the time of the holder ends');
    const abort = new AbortController();
    const third = peer.call('acquire_control_lease', ask(), { signal: abort.signal }).then(() => 'reply', () => 'none');
    for (let i = 0; i < 500 && !granted; i += 1) await wait(10);
    tap.is(granted?.state, 'active', 'F1: it is when somebody else asks');
    abort.abort();
    tap.is(await third, 'none', 'a cancelled request has no reply');
    await peer.get('release_control_lease', { lease_id: granted.leaseId });
    const next = await peer.lease();
    tap.ok(next.revision > granted.revision, 'F3: a cancelled entry leaves the queue');

    tap.is((await peer.call('execute_action', peer.clip({ lease_id: next.leaseId }))).value.receipt.status, 'committed',
        'an action under it');
    tap.is((await peer.call('execute_action', peer.clip({ lease_id: next.leaseId }))).error, 'lease_revoked', 'F2: its budget is spent');
    const order = [];
    const holder = await peer.lease();
    const queue = [0, 0, 5].map((priority, index) => peer.call('acquire_control_lease', ask({ priority })).then(async (one) => {
        order.push(index);
        await peer.call('release_control_lease', { lease_id: one.value.lease.leaseId });
    }));
    await wait(100);
    await peer.get('release_control_lease', { lease_id: holder.leaseId });
    await Promise.all(queue);
    tap.is(order, [2, 0, 1], 'priority, then first come');

    const foreign = (await peer.get('acquire_control_lease', ask({ session_id: 'no-such-session', app_ids: ['org.other.App'] }))).lease;
    const open = { session_id: peer.sessionId, action_id: newAction(), tool: 'open_application', arguments: {}, mode: 'foreground',
        data_labels: ['public'], lease_id: foreign.leaseId };
    tap.is((await peer.call('execute_action', open)).value.receipt.status, 'committed',
        'F14: a background lease of another session and app runs a foreground action without target');
    await peer.get('release_control_lease', { lease_id: foreign.leaseId });
    const strings = await peer.lease({ window_ids: ['7'] });
    const save = peer.press('Send', { lease_id: strings.leaseId });
    const escaped = await peer.call('execute_action', save);
    tap.is([escaped.error, escaped.value.message, escaped.value.details], ['lease_revoked',
        'target escaped window lease boundary', { kind: 'window', value: 7 }], 'F15: "7" is not 7');
    tap.is((await peer.call('release_control_lease', { lease_id: strings.leaseId })).error, 'lease_not_active', 'F15: the lease is gone');
    tap.is((await peer.act(save)).value.receipt.status, 'rejected', 'F15: the id is dead');
    tap.is((await peer.call('acquire_control_lease', ask({ kind: 'exclusive' }))).value.message,
        'exclusive leases require foreground execution mode', 'an exclusive background lease');

    await peer.get('emergency_stop', { reason: 'test' });
    tap.is((await peer.get('get_session', { session_id: peer.sessionId })).session.state, 'running', 'F12: sessions stay running');
    tap.is((await peer.get('preview_action', peer.clip())).executable, true, 'F12: previews stay executable');
    tap.is((await peer.events('control.emergency_stopped')).length, 0, 'F12: without a lease no event tells');
    tap.is((await peer.call('acquire_control_lease', ask())).value, { error: 'interrupted', message: 'emergency stop is active',
        details: {} }, 'F12: only the next lease does');
    await peer.end();
}

export async function reservations(tap) {
    const peer = await Peer.start();
    await peer.session();
    const ask = (intent_id, more = {}) => ({ session_id: peer.sessionId, intent_id, app_id: 'org.example.Editor', window_id: 7,
        ttl_ms: 20000, ...more });
    const first = (await peer.get('reserve_target', ask('i1'))).reservation;
    const again = (await peer.get('reserve_target', ask('i1', { ttl_ms: 300000, agent_id: 'x' }))).reservation;
    tap.is([again.reservationId, again.expiresAt, again.agentId], [first.reservationId, first.expiresAt, undefined],
        'F16: the same intent gets the old reservation');
    const other = await peer.call('reserve_target', ask('i2', { app_id: 'ORG.example.editor', window_id: undefined }));
    tap.is([other.error, other.value.details.agentId], ['target_conflict', null], 'a conflict, whatever the case');
    tap.is((await peer.get('reserve_target', ask('i3', { window_id: '7' }))).reservation.state, 'active', 'F15: "7" does not conflict');
    const big = await peer.get('reserve_target', ask('i4', { window_id: 7.5 }));
    tap.is(big.reservation.scope.windowId, 7.5, 'a fraction is taken');
    tap.is((await peer.act(peer.press('Send'))).value.receipt.status, 'committed', 'F16: execute does not ask for reservations');
    const old = peer.sessionId;
    await peer.session();
    tap.is((await peer.call('release_target_reservation', { session_id: peer.sessionId, reservation_id: first.reservationId })).error,
        'target_conflict', 'release from another session');
    await peer.get('pause_session', { session_id: old });
    tap.is((await peer.call('release_target_reservation', { session_id: old, reservation_id: first.reservationId })).value,
        { error: 'reservation_not_active', reservation_id: first.reservationId }, 'F16: release after a pause is an error');
    tap.is((await peer.get('reserve_target', ask('i5', { session_id: old }))).reservation.state, 'active', 'a paused session may reserve');
    const brief = (await peer.get('reserve_target', ask('i6', { app_id: 'b', ttl_ms: 30 }))).reservation;
    await wait(60);
    tap.is((await peer.call('release_target_reservation', { session_id: peer.sessionId, reservation_id: brief.reservationId })).error,
        'reservation_not_active', 'F16: release after expiry is an error');
    await peer.end();
}

export async function sessions(tap) {
    const peer = await Peer.start();
    const session_id = await peer.session();
    const state = async (name, more = {}) => {
        const done = await peer.call(name, { session_id, ...more });
        return done.bad ? done.value.message : done.value.session.state;
    };
    const done = { summary: 'x', postconditions: [], action_counts: { mapping: 3, click: 1 } };
    tap.is(await state('delete_session', { confirm: true }),
        'session data can only be deleted after a terminal state; current state is running', 'a running session stays');
    tap.is(await state('pause_session', { approval_token: 'x' }), 'paused_by_user', 'pause, with an ignored token');
    tap.is(await state('complete_session', done), 'invalid session transition: paused_by_user -> completed', 'complete while paused');
    tap.is(await state('take_over'), 'paused_by_user', 'take over while paused');
    tap.is(await state('resume_session'), 'running', 'resume');
    for (let i = 1; i <= 3; i += 1) await peer.get('submit_follow_up', { session_id, instruction: `n${i}` });
    const page = await peer.get('get_follow_ups', { session_id, after_sequence: 1, limit: 1 });
    tap.is([page.follow_ups.map((one) => one.sequence), page.next_sequence], [[2], 2], 'a page of follow-ups');
    tap.is((await peer.call('submit_follow_up', { session_id, instruction: 'é'.repeat(16384) })).error, 'runtime_error',
        'a follow-up of too many bytes');
    tap.is(await state('complete_session', done), 'completed', 'complete');
    tap.is((await peer.events('session.completed'))[0].payload.actionCounts, { mapping: '[REDACTED]', click: 1 },
        'a key that holds "pin" is redacted, numbers too');
    tap.is(await state('stop_session'), 'invalid session transition: completed -> stopping', 'stop after completion');
    const events = await peer.get('get_session_events', { session_id, after_sequence: 3, limit: 2 });
    tap.is([events.events.map((one) => one.sequence), events.next_sequence], [[4, 5], 5], 'a page of events');
    tap.is((await peer.get('get_session_events', { session_id, after_sequence: 999 })).next_sequence, 999, 'F11: behind the end');
    tap.is((await peer.call('prune_sessions', { older_than: 'yesterday', confirm: true })).value.message,
        'olderThan must be a valid date', 'prune with no date');
    tap.is((await peer.get('prune_sessions', { older_than: '2099', confirm: true })).deleted, 1, 'prune with a year (F32)');
    tap.is((await peer.call('get_session', { session_id })).value, { error: 'session_not_found',
        message: 'runtime session does not exist', details: { sessionId: session_id } }, 'gone');
    tap.is((await peer.get('get_execution_capabilities', { tool: 'press_button', app_id: 'x.y' })).capabilities[0].appId, 'x.y',
        'F32: any app id is echoed');
    await peer.end();
}
