// The connection: what is dropped, answered out of order or not at all, over stdio; and the quirks that switches order.

import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Peer, Raw, scratch, wait } from './kit.mjs';

const ECHO = fileURLToPath(new URL('../echo.mjs', import.meta.url));
const call = (id, name, args = {}) => ({ id, method: 'tools/call', params: { name, arguments: args } });

export async function lines(tap) {
    const raw = new Raw();
    raw.send(call(1, 'start_session'));
    const first = await raw.reply(1);
    tap.is(first.result.structuredContent.session.state, 'running', 'a call before initialize works');
    tap.is(Object.keys(first), ['result', 'jsonrpc', 'id'], 'the order of a reply');
    tap.is((await raw.initialize('banana')).result.protocolVersion, '2025-11-25', 'an unknown version');
    const session_id = first.result.structuredContent.session.sessionId;
    const dropped = ['not json', '', JSON.stringify([{ jsonrpc: '2.0', id: 20, method: 'ping' }]),
        JSON.stringify({ jsonrpc: '2.0', id: null, method: 'ping' }), JSON.stringify({ jsonrpc: '2.0', id: 2.5, method: 'ping' }),
        JSON.stringify({ id: 21, method: 'ping' })];
    raw.send(...dropped, { id: 'text', method: 'ping' }, { id: 22, method: 'nope' }, { id: 23, method: 'tools/call' });
    tap.is((await raw.reply('text')).result, {}, 'a string id');
    tap.is((await raw.reply(22)).error.code, -32601, 'an unknown method');
    tap.is((await raw.reply(23)).error.code, -32603, 'a call without params');
    tap.is(raw.messages().length, 5, 'six malformed lines have no reply');
    tap.is((await ask(raw, 30, 'left_click')).content[0].text, 'MCP error -32602: Tool left_click disabled', 'F18: a raw tool');
    tap.is((await ask(raw, 31, 'nope')).content[0].text, 'MCP error -32602: Tool nope not found', 'an unknown tool');
    const nulls = await ask(raw, 32, 'preview_action', { session_id, tool: 'type', arguments: {}, mode: 'shadow', agent_id: null });
    tap.is([nulls.isError, nulls.structuredContent, JSON.parse(nulls.content[0].text.split('preview_action: ')[1])[0].path],
        [true, undefined, ['agent_id']], 'F31: null is a validation error, in text');
    const lease = { session_id, kind: 'cooperative', mode: 'background', ttl_ms: 20000, action_budget: 1 };
    const held = (await ask(raw, 40, 'acquire_control_lease', lease)).structuredContent.lease;
    raw.send(call(41, 'acquire_control_lease', lease), call(42, 'acquire_control_lease', lease), call(43, 'get_session', { session_id }));
    tap.ok(await raw.reply(43) && !raw.messages().some((one) => one.id === 41), 'replies come out of order');
    raw.send({ method: 'notifications/cancelled', params: { requestId: 41 } }, call(44, 'release_control_lease', { lease_id: held.leaseId }));
    tap.ok(await raw.reply(42) && !raw.messages().some((one) => one.id === 41), 'a cancelled call has no reply');
    raw.child.stdin.end();
    tap.is(await raw.exit, 0, 'the end of its input ends it');
    const old = new Raw();
    tap.is((await old.initialize('2024-10-07')).result.protocolVersion, '2024-10-07', 'an old version');
    await old.end();
}

const ask = async (raw, id, name, args) => {
    raw.send(call(id, name, args));
    return (await raw.reply(id)).result;
};

export async function quirks(tap) {
    const noisy = new Raw(['--noise', '--split-writes', '--stderr-flood', '200000', '--stay', '--big-result', '300000']);
    await noisy.initialize();
    const { session } = (await ask(noisy, 2, 'start_session')).structuredContent;
    const look = await ask(noisy, 3, 'execute_action', { session_id: session.sessionId, action_id: 'a', tool: 'snapshot',
        arguments: {}, mode: 'shadow' });
    tap.ok(noisy.lines[0].startsWith('Welcome') && noisy.lines.includes('{"level":"info","msg":"not a message"}'), 'noise');
    tap.ok(JSON.stringify(look).length > 900000, 'a big result, three times in the answer');
    tap.ok(noisy.stderr >= 200000, 'a flood on standard error');
    noisy.child.stdin.end();
    noisy.child.kill('SIGTERM');
    tap.is(await Promise.race([noisy.exit, wait(300).then(() => 'alive')]), 'alive', 'it stays');
    tap.is(await noisy.end(), 'SIGKILL', 'until it is killed');

    const paged = await Peer.start(['--pages', '3', '--empty-cursor', '--list-changed']);
    let changed = 0;
    paged.client.setNotificationHandler(ToolListChangedNotificationSchema, () => { changed += 1; });
    const pages = [await paged.client.listTools()];
    pages.push(await paged.client.listTools({ cursor: pages[0].nextCursor }), await paged.client.listTools({ cursor: 'page-2' }));
    tap.is(pages.map((one) => one.nextCursor), ['', 'page-2', undefined], 'pages, the first cursor empty');
    tap.is(new Set(pages.flatMap((one) => one.tools.map((tool) => tool.name))).size, 22, 'all tools on them');
    tap.is(changed, 3, 'list_changed');
    await paged.end();
    const same = await Peer.start(['--same-cursor', '--server-request', 'ping', '--server-request', 'roots', '--progress'],
        { client: { capabilities: { roots: {} } } });
    same.client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
    tap.is((await same.client.listTools({ cursor: 'again' })).nextCursor, 'again', 'the same cursor again');
    const steps = [];
    await same.call('start_session', {}, { onprogress: (step) => steps.push(step.progress) });
    tap.is(steps, [1, 2, 3], 'progress');
    await wait(50);
    tap.ok(same.stderr.includes('{"serverRequest":"ping","outcome":"result"}')
        && same.stderr.includes('{"serverRequest":"roots","outcome":"result"}'), 'requests of the server');
    await same.end();
}

export async function kinds(tap) {
    const raw = await Peer.start(['--raw-tools']);
    tap.is((await raw.client.listTools()).tools.length, 86, 'raw tools are listed beside the governed ones');
    await raw.call('write_clipboard', { text: 'raw' });
    tap.is(raw.effects().map((one) => one.actionId), [null], 'and act at once');
    await raw.end();
    const old = await Peer.start(['--no-v8']);
    const names = (await old.client.listTools()).tools.map((one) => one.name);
    tap.is([names.length, names.includes('preview_action')], [64, false], 'a server without the governed tools');
    const manifest = JSON.parse((await old.client.readResource({ uri: 'computer://capabilities/manifest' })).contents[0].text);
    tap.is([manifest.runtimeApiVersion, manifest.actuators.length], [undefined, 64], 'and its manifest');
    await old.end();
    const text = await Peer.start([], { env: { COMPUTER_USE_STRUCTURED_CONTENT: 'false' } });
    const started = await text.call('start_session');
    text.sessionId = JSON.parse(started.text).session.sessionId;
    const lease = JSON.parse((await text.call('acquire_control_lease', { session_id: text.sessionId, kind: 'cooperative',
        mode: 'background', ttl_ms: 9000, action_budget: 1 })).text).lease;
    const done = await text.call('execute_action', text.clip({ lease_id: lease.leaseId }));
    tap.is([started.value, done.reply.content.length, JSON.parse(done.text).receipt.status], [undefined, 2, 'committed'],
        'F30: text only, the receipt in the last block');
    const { resources } = await text.client.listResources();
    tap.ok(resources.some((one) => one.uri === `computer://session/${text.sessionId}`), 'sessions are listed as resources');
    await text.end();
}

export async function supervisor(tap) {
    const directory = scratch();
    const socketPath = path.join(directory, 's');
    const token = 't'.repeat(32);
    const peer = await Peer.start(['--supervisor-socket', socketPath, '--supervisor-token', token]);
    const sessionId = await peer.session();
    const talk = async (hello, commands) => {
        const socket = net.connect(socketPath);
        let text = '';
        socket.on('data', (chunk) => { text += chunk; });
        socket.on('error', () => {});
        for (const one of [hello, ...commands]) {
            socket.write(JSON.stringify(one) + '\n');
            for (let before = -1; before !== text.length; await wait(200)) before = text.length;
        }
        socket.destroy();
        return text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
    };
    tap.is(await talk({ type: 'hello', token: 'wrong', principalId: 'operator-1' }, []), [], 'a wrong token is closed');
    const action = peer.notify();
    await peer.get('preview_action', action);
    const said = await talk({ type: 'hello', token, principalId: 'operator-1' }, [
        { type: 'subscribe', sessionId, afterSequence: 2 }, { type: 'approve', sessionId, actionId: action.action_id },
        { type: 'bogus' }, { type: 'emergency_stop' }, { type: 'reset_emergency_stop' }, { type: 'pause', sessionId }]);
    tap.is(said.filter((one) => one.type !== 'event').map((one) => one.type), ['hello', 'emergency_status', 'subscribed',
        'approved', 'error', 'emergency_status', 'ack', 'emergency_status', 'ack', 'ack'], 'what it says');
    tap.is(said.filter((one) => one.type === 'event').map((one) => one.event.type), ['action.previewed',
        'action.approval_required', 'action.approved', 'approval.authority_revoked', 'session.state_changed'], 'events, old and new');
    tap.is(said.filter((one) => one.type === 'emergency_status').map((one) => [one.active, one.generation]),
        [[false, 0], [true, 1], [false, 2]], 'the emergency stop is seen and reset');
    tap.is((await peer.get('get_session', { session_id: sessionId })).session.state, 'paused_by_user', 'it pauses');
    await peer.end();
}

export async function echo(tap) {
    const plain = new Raw([], ECHO);
    await plain.initialize();
    tap.is((await ask(plain, 2, 'echo', { text: 'ä\u0000😀' })).structuredContent.text, 'ä\u0000😀', 'echo');
    plain.send(call(3, 'ask', { method: 'ping' }));
    for (let i = 0; i < 100 && !plain.messages().some((one) => one.method === 'ping'); i += 1) await wait(10);
    plain.send({ id: 0, result: {} });
    tap.is((await plain.reply(3)).result.content[0].text, '{"result":{}}', 'it asks in the middle of a call');
    plain.send(call(4, 'sleep', { ms: 50 }), { method: 'notifications/cancelled', params: { requestId: 4 } });
    tap.is((await ask(plain, 5, 'cancelled')).content[0].text, '[4]', 'it knows what was cancelled');
    await plain.end();
    const odd = new Raw(['--quirk', 'bytes', '--quirk', 'crlf', '--quirk', 'string-id'], ECHO);
    await odd.initialize();
    odd.send(call(7, 'add', { a: 1, b: 2 }));
    tap.is((await odd.reply('7')).result.content[0].text, '3', 'a byte a write, CR LF, the id as a string');
    await odd.end();
}
