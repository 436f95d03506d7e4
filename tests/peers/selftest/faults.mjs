// The switches that break a call, and what a restart keeps and loses.

import { Peer, newAction, scratch, wait } from './kit.mjs';

const gone = (error) => (/closed/i.test(error.message) ? 'closed' : /aborted|timed out/i.test(error.message) ? 'none' : error.message);

export async function lost(tap) {
    const peer = await Peer.start(['--lose', 'execute_action:before@1', '--lose', 'write_clipboard:after@1', '--lose',
        'notification:before', '--lose', 'execute_action:after@3']);
    await peer.session();
    const quick = { timeout: 1000 };
    const send = (action, lease) => peer.call('execute_action', { ...action, lease_id: lease.leaseId }, quick).then(
        (done) => done.value.receipt?.status ?? done.error, gone);
    const code = async (action) => {
        const done = await peer.call('execute_action', action);
        return done.value.receipt?.status ?? done.value.details?.receiptId ?? done.error;
    };
    const first = peer.clip();
    tap.is(await send(first, await peer.lease({ action_budget: 100, mode: 'background' })), 'none', 'lost before: no reply');
    tap.is([peer.effects().length, (await peer.events('action.previewed')).length], [0, 0], 'and nothing was done');
    await release(peer);
    const lease = await peer.lease({ action_budget: 100 });
    const second = peer.clip();
    tap.is(await send(second, lease), 'none', 'lost at the effect: no reply');
    tap.is([peer.effects().length, await code(second)], [1, 'indeterminate'], 'the effect is there, the receipt is not sure');
    const fresh = await peer.lease({ action_budget: 100 });
    const third = peer.clip();
    tap.is(await send(third, fresh), 'none', 'lost after all: no reply');
    tap.is(peer.effects().length, 2, 'and the effect is there');
    tap.is(await code(third), 'committed', 'the receipt too');
    await peer.end();
}

/** Gives back whatever lease is active: a call that was never answered left it. */
async function release(peer) {
    await peer.get('pause_session', { session_id: peer.sessionId });
    await peer.get('resume_session', { session_id: peer.sessionId });
}

/** Waits until so many events of a type were told. */
async function told(peer, type, count) {
    while ((await peer.events(type)).length < count) await wait(20);
}

export async function inFlight(tap) {
    const peer = await Peer.start(['--delay', 'write_clipboard=1200', '--delay', 'capture@4=1200', '--user-activity-after', '600']);
    const session_id = await peer.session();
    const cut = 'control was revoked while the action was executing';
    const foreground = { kind: 'exclusive', mode: 'foreground' };
    const clip = peer.clip();
    const lease = await peer.lease(foreground);
    const running = peer.call('execute_action', { ...clip, lease_id: lease.leaseId });
    await told(peer, 'action.started', 1);
    const twice = await peer.call('execute_action', { ...clip, lease_id: lease.leaseId });
    tap.is([twice.error, Object.keys(twice.value.details)], ['indeterminate', ['receiptId']], 'F5: sent again while it runs');
    tap.is((await running).value.receipt.status, 'committed', 'F13: the human does not stop an exclusive lease');
    await peer.call('release_control_lease', { lease_id: lease.leaseId });
    const human = await peer.act(peer.clip(), { mode: 'background' });
    tap.is([human.error, human.value.message], ['indeterminate', cut], 'F13: but a cooperative one');
    tap.is((await peer.events('control.user_activity_revoked'))[0].payload.latencyMs, 0, 'and an event says so');
    const short = await peer.act(peer.clip(), { ...foreground, ttl_ms: 600 });
    tap.is(short.value.message, cut, 'the time of the lease ends during the action');

    const early = peer.clip();
    const abort = new AbortController();
    const held = await peer.lease(foreground);
    const previewed = (await peer.events('action.previewed')).length;
    const cancelled = peer.call('execute_action', { ...early, lease_id: held.leaseId }, { signal: abort.signal }).catch(gone);
    await told(peer, 'action.previewed', previewed + 1);
    abort.abort('enough');
    await cancelled;
    await told(peer, 'action.interrupted', 1);
    tap.is((await peer.call('execute_action', early)).value.receipt.status, 'interrupted', 'cancelled before it started: it never runs');
    tap.is((await peer.events('action.interrupted'))[0].actionId, early.action_id, 'and an event says so');
    const late = peer.clip();
    const stop = new AbortController();
    const mid = peer.call('execute_action', { ...late, lease_id: held.leaseId }, { signal: stop.signal }).catch(gone);
    await told(peer, 'action.started', 4);
    stop.abort('enough');
    await mid;
    await told(peer, 'action.indeterminate', 3);
    tap.is((await peer.call('execute_action', late)).value.receipt.status, 'indeterminate', 'cancelled while it runs');
    const paused = peer.clip();
    const last = await peer.lease(foreground);
    const answer = peer.call('execute_action', { ...paused, lease_id: last.leaseId });
    await told(peer, 'action.started', 5);
    await peer.get('pause_session', { session_id });
    tap.is((await answer).value.message, cut, 'paused while it runs');
    tap.is(peer.effects().length, 1, 'only the first of them had its effect');
    await peer.end();
}

export async function handlers(tap) {
    const peer = await Peer.start(['--throw-after-effect', 'write_clipboard@1', '--error-after-effect', 'write_clipboard@2',
        '--error-before-effect', 'write_clipboard@4', '--fault', 'preview_action@1:/envelope/tool="other"', '--fault',
        'execute_action@4:/receipt/actionDigest', '--fault', 'preview_action@2:/envelope/dataLabels/-="credential"', '--delay', 'open_application=700']);
    const session_id = await peer.session();
    const one = peer.clip();
    tap.is((await peer.act(one)).value, { error: 'runtime_error', message: 'executor failed after its side effect' },
        'F5: it threw after the effect');
    const again = (await peer.call('execute_action', one)).value.receipt;
    tap.is([again.status, again.error.code], ['indeterminate', 'execution_error'], 'its receipt');
    const two = await peer.act(peer.clip());
    tap.is([two.error, two.value.details.handler.error, two.value.details.handler.frontmostAfter],
        ['indeterminate', 'fake_failure', null], 'the handler failed after the effect');
    const ok = await peer.act(peer.clip());
    tap.is([ok.value.receipt.status, 'actionDigest' in ok.value.receipt], ['committed', false], 'a fault removes a member');
    tap.ok(!ok.text.includes('actionDigest'), 'in the text too');
    const three = await peer.act(peer.clip());
    tap.is([three.error, peer.effects().length], ['indeterminate', 3], 'F33: refused before the effect, yet indeterminate');
    const slow = await peer.act({ session_id, action_id: newAction(), tool: 'open_application', arguments: {}, mode: 'foreground',
        data_labels: ['public'] }, { kind: 'exclusive', ttl_ms: 400 });
    tap.is([slow.error, (await peer.events('action.started')).length], ['indeterminate', 5], 'the time of the lease ran out meanwhile');
    const look = { session_id, tool: 'write_clipboard', arguments: {}, mode: 'background' };
    tap.is((await peer.get('preview_action', look)).envelope.tool, 'other', 'a fault changes a member');
    tap.is((await peer.get('preview_action', look)).envelope.dataLabels, ['unknown', 'credential'], 'a fault appends');
    tap.is((await peer.get('preview_action', look)).envelope.dataLabels, ['unknown'], 'each only when it was ordered');
    await peer.end();
}

export async function crashes(tap) {
    const peer = await Peer.start(['--crash', 'write_clipboard:before']);
    await peer.session();
    tap.is(await peer.act(peer.clip()).then(() => 'reply', gone), 'closed', 'a crash before the effect');
    tap.is(peer.effects().length, 0, 'which is not in the file');
    const next = await Peer.start(['--crash', 'write_clipboard:after'], { world: peer.world });
    tap.is((await next.call('get_session', { session_id: peer.sessionId })).error, 'session_not_found',
        'F7: a restart in memory forgets the session');
    await next.session();
    tap.is(await next.act(next.clip({ action_id: 'again' })).then(() => 'reply', gone), 'closed', 'a crash after the effect');
    const last = await Peer.start([], { world: peer.world });
    await last.session();
    const read = { session_id: last.sessionId, action_id: newAction(), tool: 'read_clipboard', arguments: {}, mode: 'background' };
    await last.get('preview_action', read);
    await last.get('approve_action', { session_id: last.sessionId, action_id: read.action_id });
    tap.is((await last.call('execute_action', read)).value.output, { text: 'hi' }, 'the effect is still there');
    tap.is((await last.act(last.clip({ action_id: 'again' }))).value.replay, false, 'F7: the same id runs again');
    tap.is(last.effects().map((one) => [one.n, one.actionId]), [[1, 'again'], [2, 'again']], 'and is in the file twice');
    await Promise.all([peer.end(), next.end(), last.end()]);
}

export async function durable(tap) {
    const state = scratch();
    const peer = await Peer.start(['--state', state, '--crash', 'write_clipboard:after']);
    const session_id = await peer.session();
    const look = { session_id, action_id: newAction(), tool: 'snapshot', arguments: { use_vision: true }, mode: 'shadow' };
    const seen = await peer.call('execute_action', look);
    tap.is([seen.reply.content.length, Object.keys(seen.value), 'result' in seen.value.receipt], [1, ['receipt', 'replay'], false],
        'F8: durable receipts lose the result');
    await peer.get('submit_follow_up', { session_id, instruction: 'one' });
    const clip = peer.clip();
    tap.is(await peer.act(clip).then(() => 'reply', gone), 'closed', 'a crash after the effect');

    const next = await Peer.start(['--state', state, '--recovery-delay', '2500'], { world: peer.world });
    next.sessionId = session_id;
    const state1 = (await next.get('get_session', { session_id })).session;
    tap.is([state1.state, state1.recovered], ['running', undefined], 'F10: just after the restart all looks as before');
    const again = await next.call('execute_action', clip);
    tap.is([again.error, Object.keys(again.value.details)], ['indeterminate', ['receiptId']], 'F7: the crashed action stays pending');
    tap.is((await next.act(next.clip({ action_id: 'race' }))).value.receipt.status, 'committed', 'F10: and a new action runs');
    const lifecycle = await next.get('pause_session', { session_id });
    tap.is([lifecycle.session.recovered, lifecycle.session.state], [true, 'paused_by_user'], 'a lifecycle call waits for recovery');
    await next.get('resume_session', { session_id });
    tap.is((await next.call('execute_action', clip)).error, 'indeterminate', 'for ever');
    const rejected = await next.call('execute_action', next.clip({ action_id: 'no-lease' }));
    tap.is(rejected.error, 'lease_conflict', 'a rejected action');
    const kept = (await next.call('execute_action', next.clip({ action_id: 'no-lease' }))).value.receipt;
    tap.ok(/^\[REDACTED sha256:[0-9a-f]{64} length:\d+\]$/.test(kept.error.message), 'its kept message is redacted');
    const events = await next.events();
    tap.is(events.map((one) => one.sequence), events.map((one, index) => index + 1), 'F11: journalled sequences go on');
    tap.ok(events.some((one) => one.type === 'session.recovered') && events.every((one, i) => i === 0
        || one.integrity.previousHash === events[i - 1].integrity.hash), 'recovered, and the chain holds');
    tap.is((await next.get('get_follow_ups', { session_id, after_sequence: 1 })).next_sequence, 1, 'F11: old cursors get nothing');
    tap.is((await next.get('submit_follow_up', { session_id, instruction: 'x' })).follow_up.sequence, 1, 'F11: follow-ups start again');
    const manifest = JSON.parse((await next.client.readResource({ uri: 'computer://capabilities/manifest' })).contents[0].text);
    tap.is(manifest.features.durableReceipts, true, 'the manifest says that receipts are durable');
    await Promise.all([peer.end(), next.end()]);
}
