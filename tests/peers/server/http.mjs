// The stand-in over HTTP: bearer tokens, Streamable HTTP sessions that can be resumed, the feed of events, /health.
// A session without a request for --idle-ms is closed and its principal suspended. Uses the SDK's transport and facade.
// It listens on 127.0.0.1 only; the first line on standard output is JSON with the url and a token.

import { randomBytes, webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Connection } from './facade.mjs';

const BODY = 1 << 20;
const STORED_EVENTS = 10000;
const SCOPES = ['observe', 'screenshot', 'control', 'execute', 'approve'];

globalThis.crypto ??= webcrypto;   // node 18 has none, and the transport wants one

const random = (bytes) => randomBytes(bytes).toString('base64url');

/** What streams sent, so that a client which lost one may go on behind the last event it saw. */
class Store {
    constructor() {
        this.events = [];
    }

    async storeEvent(stream, message) {
        const id = `${stream}.${random(12)}`;
        this.events.push({ id, stream, message });
        if (this.events.length > STORED_EVENTS) this.events.shift();
        return id;
    }

    async getStreamIdForEventId(id) {
        return this.events.find((one) => one.id === id)?.stream;
    }

    async replayEventsAfter(last, { send }) {
        const from = this.events.findIndex((one) => one.id === last);
        const { stream } = this.events[from];
        for (const one of this.events.slice(from + 1)) {
            if (one.stream === stream && Object.keys(one.message).length > 0) await send(one.id, one.message);
        }
        return stream;
    }
}

function tell(response, status, body, headers = {}) {
    const text = JSON.stringify(body);
    response.writeHead(status, {
        'content-type': 'application/json', 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store',
        'x-content-type-options': 'nosniff', ...headers,
    });
    response.end(text);
}

const refuse = (response, status, code, headers) => tell(response, status, { error: code }, headers);

/** The body as JSON; undefined when it was refused. */
async function readBody(request, response) {
    const chunks = [];
    let size = 0;
    for await (const chunk of request) {
        size += chunk.length;
        if (size <= BODY) chunks.push(chunk);
    }
    if (size > BODY) return void refuse(response, 413, 'request_too_large');
    try {
        return JSON.parse(Buffer.concat(chunks).toString('utf8'));
    } catch {
        return void refuse(response, 400, 'invalid_json');
    }
}

/** TOKEN[=PRINCIPAL[:scope,scope]] */
function readTokens(options) {
    const tokens = new Map();
    for (const text of options.token.length > 0 ? options.token : [random(32)]) {
        const [, token, principal, scopes] = /^([\w-]+)(?:=([^:]+)(?::(.*))?)?$/.exec(text) ?? [];
        if (!token) throw new Error('--token wants TOKEN[=PRINCIPAL[:scopes]] of letters, digits, _ and -');
        tokens.set(token, { token, principal: principal ?? options.principal, scopes: scopes?.split(',').map((one) => one.replace('computer:', '')) ?? SCOPES });
    }
    return tokens;
}

class Remote {
    constructor(runtime, options) {
        this.runtime = runtime;
        this.options = options;
        this.tokens = readTokens(options);
        this.sessions = new Map();
        this.requests = new Map();
    }

    authorize(request, response) {
        const realm = { 'www-authenticate': 'Bearer realm="computer-use-remote"' };
        const found = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '');
        if (!found) return void refuse(response, 401, 'bearer_token_required', realm);
        const who = this.tokens.get(found[1]);
        return who ?? void refuse(response, 401, 'invalid_or_expired_token', realm);
    }

    limited(who, response) {
        const now = Date.now();
        const recent = (this.requests.get(who.token) ?? []).filter((at) => now - at < 60000);
        this.requests.set(who.token, recent);
        if (recent.length >= this.options.rate) {
            refuse(response, 429, 'rate_limited', { 'retry-after': String(Math.ceil((recent[0] + 60000 - now) / 1000)) });
            return true;
        }
        recent.push(now);
        return false;
    }

    async handle(request, response) {
        const host = (request.headers.host ?? '').replace(/:\d+$/, '');
        if (host !== '127.0.0.1' && host !== 'localhost') return refuse(response, 421, 'host_not_allowed');
        if (request.headers.origin !== undefined) return refuse(response, 403, 'origin_not_allowed');
        const url = new URL(request.url, 'http://127.0.0.1');
        if (url.pathname === '/health') return tell(response, 200, { status: 'ok' });
        if (url.pathname === '/.well-known/oauth-protected-resource') {
            return tell(response, 200, { resource: this.url, bearer_methods_supported: ['header'],
                scopes_supported: SCOPES.map((one) => `computer:${one}`) });
        }
        const who = this.authorize(request, response);
        if (!who || this.limited(who, response)) return undefined;
        if (url.pathname === '/mcp') return this.mcp(who, request, response);
        if (url.pathname === '/events' && request.method === 'GET') return this.feed(who, url, request, response);
        return refuse(response, 404, 'not_found');
    }

    async mcp(who, request, response) {
        let body;
        if (request.method === 'POST') {
            if (!(request.headers['content-type'] ?? '').startsWith('application/json')) {
                return refuse(response, 415, 'json_required');
            }
            body = await readBody(request, response);
            if (body === undefined) return undefined;
        }
        const id = request.headers['mcp-session-id'];
        if (id === undefined && body?.method === 'initialize') {
            return this.open(who).then(({ transport }) => transport.handleRequest(request, response, body));
        }
        const session = this.sessions.get(id);
        if (!session) return refuse(response, id === undefined ? 400 : 404, 'invalid_or_missing_mcp_session');
        if (session.who !== who) return refuse(response, 403, 'authorization_context_mismatch');
        this.alive(session);
        return session.transport.handleRequest(request, response, body);
    }

    async open(who) {
        const session = { who };
        session.transport = new StreamableHTTPServerTransport({
            sessionIdGenerator: () => random(32), eventStore: new Store(), enableJsonResponse: this.options.jsonReply,
            retryInterval: this.options.retryMs, onsessioninitialized: (id) => {
                this.sessions.set(id, session);
                this.alive(session);
            },
        });
        session.transport.onclose = () => {
            clearTimeout(session.timer);
            this.sessions.delete(session.transport.sessionId);
        };
        const connection = new Connection(this.runtime, who.principal, who.scopes);
        await connection.server.connect(session.transport);
        return session;
    }

    /** A request has started, or the feed of events is being read: the idle time begins again. */
    alive(session) {
        clearTimeout(session.timer);
        session.timer = setTimeout(() => {
            session.transport.close();
            this.runtime.suspend(session.who.principal);
        }, this.options.idleMs);
        session.timer.unref();
    }

    feed(who, url, request, response) {
        if (!who.scopes.includes('observe')) return refuse(response, 403, 'insufficient_scope');
        const sessionId = url.searchParams.get('session_id') ?? '';
        const { sessions, events } = this.runtime;
        if (sessions.all.get(sessionId)?.principalId !== who.principal) return refuse(response, 404, 'session_not_found');
        response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
        const send = (event) => {
            if (event.sessionId !== sessionId) return;
            response.write(`event: session\nid: ${event.sequence}\ndata: ${JSON.stringify(event)}\n\n`);
        };
        events.after(sessionId, Number(request.headers['last-event-id'] ?? 0), Infinity).forEach(send);
        events.watchers.add(send);
        const beat = setInterval(() => {
            response.write(': heartbeat\n\n');
            for (const session of this.sessions.values()) if (session.who === who) this.alive(session);
        }, Math.min(15000, this.options.idleMs / 2));
        response.on('close', () => {
            clearInterval(beat);
            events.watchers.delete(send);
        });
        return undefined;
    }
}

/** Serves until the process ends; says on standard output where. */
export async function serve(runtime, options) {
    const remote = new Remote(runtime, options);
    const secure = options.tlsCert && { key: readFileSync(options.tlsKey), cert: readFileSync(options.tlsCert) };
    const listener = (request, response) => {
        remote.handle(request, response).catch((error) => {
            process.stderr.write(`${error.stack}\n`);
            response.destroy();
        });
    };
    const server = secure ? https.createServer(secure, listener) : http.createServer(listener);
    await new Promise((resolve) => server.listen(options.port, '127.0.0.1', resolve));
    const { port } = server.address();
    remote.url = `http${secure ? 's' : ''}://127.0.0.1:${port}/mcp`;
    const [token] = remote.tokens.keys();
    process.stdout.write(JSON.stringify({ url: remote.url, port, token, pid: process.pid }) + '\n');
}
