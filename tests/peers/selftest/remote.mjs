// The stand-in over HTTP: who is let in, what a reply looks like, resuming, idle suspension, scopes and the feed.

import { SERVER, scratch, start, wait } from './kit.mjs';

const JSON_TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const hello = (version = '2025-06-18') => ({ jsonrpc: '2.0', id: 1, method: 'initialize',
    params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'c', version: '0' } } });

class Remote {
    static async start(flags) {
        const remote = new Remote();
        remote.child = start(process.execPath, [SERVER, '--http', '--leash', '--world', scratch() + '/w', ...flags],
            { stdio: ['pipe', 'pipe', 'inherit'] });
        const line = await new Promise((resolve) => { remote.child.stdout.once('data', resolve); });
        Object.assign(remote, JSON.parse(line));
        return remote;
    }

    async send(body, headers = {}, { method = 'POST', path = '/mcp', token = 'abc' } = {}) {
        const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { method,
            headers: { ...(method === 'POST' ? JSON_TYPES : {}), ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
            body: typeof body === 'object' ? JSON.stringify(body) : body });
        const text = await answer.text();
        return { status: answer.status, headers: answer.headers, text, error: text.startsWith('{') ? JSON.parse(text).error : undefined };
    }

    async open(token = 'abc', version = '2025-06-18') {
        const answer = await this.send(hello(version), {}, { token });
        const id = answer.headers.get('mcp-session-id');
        await this.send({ jsonrpc: '2.0', method: 'notifications/initialized' }, { 'mcp-session-id': id }, { token });
        return { id, answer };
    }

    async call(id, name, args = {}, token = 'abc', headers = {}) {
        const answer = await this.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } },
            { 'mcp-session-id': id, ...headers }, { token });
        const data = answer.text.split('\n').filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)));
        return { ...answer, result: data.find((one) => one.id === 7)?.result };
    }

    end() {
        this.child.stdin.end();
        return new Promise((resolve) => { this.child.on('exit', resolve); });
    }
}

export async function doors(tap) {
    const remote = await Remote.start(['--token', 'abc=op', '--token', 'eye=op:computer:observe', '--token', 'two=other', '--rate', '40']);
    const rows = [
        ['no token', {}, { token: '' }, 401, 'bearer_token_required'], ['bad token', {}, { token: 'x' }, 401, 'invalid_or_expired_token'],
        ['an origin', { origin: 'http://localhost' }, {}, 403, 'origin_not_allowed'],
        ['no JSON', { 'content-type': 'text/plain' }, {}, 415, 'json_required'],
        ['unknown session', { 'mcp-session-id': 'zzz' }, {}, 404, 'invalid_or_missing_mcp_session'],
    ];
    for (const [name, headers, more, status, error] of rows) {
        const answer = await remote.send(hello(), headers, more);
        tap.is([answer.status, answer.error], [status, error], `HTTP: ${name}`);
    }
    tap.is((await remote.send(hello(), {}, { token: '' })).headers.get('www-authenticate'), 'Bearer realm="computer-use-remote"', 'the realm');
    const accept = await remote.send(hello(), { accept: 'application/json' });
    tap.is([accept.status, accept.error.code], [406, -32000], 'Accept without event streams');
    tap.is((await remote.send({ jsonrpc: '2.0', id: 5, method: 'tools/list' })).status, 400, 'no session');
    tap.is((await remote.send(undefined, {}, { method: 'GET', path: '/health', token: '' })).text, '{"status":"ok"}', 'health');
    const { id, answer } = await remote.open();
    tap.ok(/^[\w-]{43}$/.test(id) && /^event: message\nid: [\w-]+\.[\w-]+\ndata: \{/.test(answer.text), 'a session and a reply');
    tap.is((await remote.send(hello(), { 'mcp-session-id': id }, { token: 'two' })).error, 'authorization_context_mismatch', 'another token');
    tap.is((await remote.send('{nope', { 'mcp-session-id': id })).error, 'invalid_json', 'bad JSON');
    tap.is((await remote.send('x'.repeat(1100000), { 'mcp-session-id': id })).status, 413, 'a body too large');
    const version = await remote.call(id, 'start_session', {}, 'abc', { 'mcp-protocol-version': '2026-07-28' });
    tap.is([version.status, JSON.parse(version.text).id], [400, null], 'an unknown version in the header');
    const { session } = (await remote.call(id, 'start_session')).result.structuredContent;
    const eye = await remote.open('eye');
    tap.is((await remote.call(eye.id, 'start_session', {}, 'eye')).result.content[0].text, 'missing required scope: computer:control', 'a scope');
    const two = await remote.open('two');
    tap.is((await remote.call(two.id, 'get_session', { session_id: session.sessionId }, 'two')).result.structuredContent.error,
        'principal_mismatch', 'another principal');
    tap.is((await remote.send(undefined, { 'mcp-session-id': id }, { method: 'DELETE' })).status, 200, 'DELETE');
    tap.is((await remote.call(id, 'start_session')).status, 404, 'and the session is gone');
    let last;
    for (let i = 0; i < 40 && last?.status !== 429; i += 1) last = await remote.send(undefined, {}, { method: 'GET', path: '/nope' });
    tap.is([last.error, last.headers.has('retry-after')], ['rate_limited', true], 'too many requests');
    tap.is(await remote.end(), 0, 'it ends with its leash');
}

export async function streams(tap) {
    const remote = await Remote.start(['--token', 'abc=op', '--token', 'two=other', '--idle-ms', '1500', '--cut-stream', 'get_session',
        '--delay', 'get_session=100', '--retry-ms', '50']);
    const { id } = await remote.open('abc', '2025-11-25');
    const modern = { 'mcp-protocol-version': '2025-11-25' };
    const started = await remote.call(id, 'start_session', {}, 'abc', modern);
    const session_id = started.result.structuredContent.session.sessionId;
    tap.ok(/^id: (.*)\nretry: 50\ndata: \n\n/.test(started.text), 'a priming event');
    const cut = await remote.call(id, 'get_session', { session_id }, 'abc', modern);
    tap.is([cut.status, cut.result], [200, undefined], 'a stream cut before the answer');
    const abort = new AbortController();
    const resumed = await fetch(remote.url, { signal: abort.signal, headers: { accept: 'text/event-stream', authorization: 'Bearer abc',
        'mcp-session-id': id, 'last-event-id': /^id: (.*)$/m.exec(cut.text)[1], ...modern } });
    const reader = resumed.body.getReader();
    let text = '';
    while (!text.includes('"id":7')) text += Buffer.from((await reader.read()).value).toString();
    tap.ok(text.includes('"state\\":\\"running'), 'and resumed behind the last event');
    abort.abort();

    const two = await remote.open('two');
    const lease = { session_id, kind: 'cooperative', mode: 'background', ttl_ms: 60000, action_budget: 1 };
    await remote.call(two.id, 'acquire_control_lease', lease, 'two');
    const keep = setInterval(() => remote.call(two.id, 'get_follow_ups', { session_id }, 'two').catch(() => {}), 200);
    const queued = await remote.call(id, 'acquire_control_lease', lease);
    tap.is([queued.status, queued.text], [200, ''], 'F29: a call longer than the idle time ends as an empty stream');
    tap.is((await remote.call(id, 'get_session', { session_id })).status, 404, 'F29: the session of the connection is gone');
    clearInterval(keep);
    const back = await remote.open();
    const { session } = (await remote.call(back.id, 'get_session', { session_id })).result.structuredContent;
    tap.is([session.state, session.waitingReason], ['paused_by_policy', 'remote_disconnected'], 'F29: and the work was suspended');
    const feed = await fetch(`http://127.0.0.1:${remote.port}/events?session_id=${session_id}`,
        { headers: { authorization: 'Bearer abc', 'last-event-id': '1' } });
    const first = Buffer.from((await feed.body.getReader().read()).value).toString();
    tap.ok(first.startsWith('event: session\nid: 2\ndata: {'), 'the feed of events, behind a sequence');
    await wait(2200);
    tap.is((await remote.call(back.id, 'get_follow_ups', { session_id })).status, 200, 'an open feed keeps the session alive');
    await remote.end();
}
