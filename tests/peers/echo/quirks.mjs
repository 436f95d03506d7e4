// How echo.mjs breaks its protocol: what each quirk does to the bytes of an answer, over stdio and over HTTP.
// Uses node's http. It decides nothing about the content but what the quirk says.

import { randomUUID } from 'node:crypto';
import http from 'node:http';
import process from 'node:process';

/** name → what it does; `=V` where it takes a value. */
export const KNOWN = new Map(Object.entries({
    // Both.
    version: '=V: initialize answers with protocol version V', silent: '=METHOD: never answers it',
    'string-id': 'the id of an answer is a string', 'wrong-id': 'the id of an answer is one higher',
    twice: 'every answer is sent twice', batch: 'every answer comes in an array', 'no-jsonrpc': 'answers lack jsonrpc',
    both: 'an answer has result and error', neither: 'an answer has neither result nor error',
    'duplicate-key': 'an answer has its id twice', 'bad-utf8': 'an answer holds the byte ff', nested: 'an answer nests 2000 deep',
    // stdio.
    banner: 'text before the first message', noise: 'text before every message', bom: 'a byte order mark before every line',
    crlf: 'lines end with CR LF', bytes: 'one byte a write', 'half-line': 'half an answer, then the end of the process',
    'no-newline': 'the last line of tools/call has no end, then the process ends', 'close-stdout': 'ends its output at tools/call',
    'exit-at-call': 'exits with status 3 at tools/call', 'sse-keepalive': 'HTTP: a comment every 50 ms',
    // HTTP: the shape of event streams.
    json: 'answers are application/json', 'sse-crlf': 'lines of events end with CR LF', 'sse-cr': 'lines end with CR',
    'sse-lines': 'the data of an event in several lines', 'sse-bom': 'the stream begins with a byte order mark',
    'sse-no-blank': 'no blank line behind the event, and the stream stays open', 'sse-bytes': 'one byte a write',
    'sse-prime': 'an event with an id and no data comes first', 'sse-no-answer': 'the stream ends without the answer',
    'sse-foreign': 'an event of another type comes first', 'sse-open': 'the stream stays open behind the answer',
    'sse-resume': 'tools/call: the stream ends early; the answer comes to GET with Last-Event-ID',
    truncated: 'Content-Length promises more than comes', 'sse-cut': 'the connection breaks in the middle of an event', 'close-delimited': 'the body ends with the connection',
    'header-case': 'header names in capitals', 'content-type': '=T: the media type T', status: '=N: tools/call answers with status N',
    'redirect-307': 'moved to /moved on this server', 'redirect-301': 'moved for good to /moved', 'redirect-away': 'to another host',
    'session-twice': 'two different session headers', 'session-blank': 'a session header with a space',
    'no-session': 'no session header', 'session-lost': 'tools/call: 404 once', 'session-lost-400': 'tools/call: 400 once',
    'close-reused': 'takes a second request on a connection and closes it', reset: 'resets the connection at tools/call',
    'big-header': 'a header of 64 KiB', 'no-get': 'GET is 405', html: 'tools/call answers a page of HTML',
}));

function shape(quirks, message) {
    const out = { ...message };
    const isAnswer = message.method === undefined;
    if (!isAnswer) return JSON.stringify(out);
    if (quirks.has('string-id')) out.id = String(out.id);
    if (quirks.has('wrong-id')) out.id += 1;
    if (quirks.has('no-jsonrpc')) delete out.jsonrpc;
    if (quirks.has('both')) out.error = { code: -1, message: 'both' };
    if (quirks.has('neither')) delete out.result;
    let text = JSON.stringify(out);
    if (quirks.has('duplicate-key')) text = text.replace('{', '{"id":4711,');
    if (quirks.has('nested')) text = text.replace('"result":', `"deep":${'['.repeat(2000)}${']'.repeat(2000)},"result":`);
    if (quirks.has('batch')) text = `[${text}]`;
    return text;
}

/** The bytes of a message; the quirk that no text can hold is made here. */
function bytes(quirks, message) {
    const text = Buffer.from(shape(quirks, message));
    if (!quirks.has('bad-utf8') || message.method !== undefined) return text;
    const at = text.indexOf('"jsonrpc"');
    return Buffer.concat([text.subarray(0, at), Buffer.from('"x":"\xff",', 'latin1'), text.subarray(at)]);
}

function trickle(write, data, end) {
    let at = 0;
    const timer = setInterval(() => {
        if (at < data.length) write(data.subarray(at, at += 1));
        else {
            clearInterval(timer);
            end();
        }
    }, 0);
}

const queue = { last: Promise.resolve() };

export function writeStdio(quirks, message, method) {
    const out = process.stdout;
    const called = method === 'tools/call';
    if (called && quirks.has('exit-at-call')) process.exit(3);
    if (called && quirks.has('close-stdout')) return new Promise((resolve) => { out.end(resolve); });
    if (quirks.has('noise')) out.write('debug: a message follows\n{"level":"info"}\n');
    const data = bytes(quirks, message);
    if (called && quirks.has('half-line')) return void out.write(data.subarray(0, data.length >> 1), () => process.exit(0));
    if (called && quirks.has('no-newline')) return void out.write(data, () => process.exit(0));
    const line = Buffer.concat([Buffer.from(quirks.has('bom') ? '\ufeff' : ''), data,
        Buffer.from(quirks.has('crlf') ? '\r\n' : '\n')]);
    if (quirks.has('bytes')) {
        const one = () => new Promise((resolve) => { trickle((part) => out.write(part), line, resolve); });
        return void (queue.last = queue.last.then(one));
    }
    out.write(line);
    if (quirks.has('twice') && message.method === undefined) out.write(line);
    return undefined;
}

/** One event of a stream as the quirks want it written. */
function event(quirks, data, id) {
    const end = quirks.has('sse-crlf') ? '\r\n' : quirks.has('sse-cr') ? '\r' : '\n';
    const parts = quirks.has('sse-lines') ? splitLines(data) : [data];
    const head = Buffer.from(`event: message${end}${id === undefined ? '' : `id: ${id}${end}`}`);
    const lines = parts.flatMap((part) => [Buffer.from('data: '), part, Buffer.from(end)]);
    return Buffer.concat([head, ...lines, Buffer.from(quirks.has('sse-no-blank') ? '' : end)]);
}

/** JSON cut where white space may stand: behind the first brace and before the last. */
function splitLines(data) {
    return [data.subarray(0, 1), data.subarray(1, -1), data.subarray(-1)];
}

class Stream {
    constructor(quirks, response, headers) {
        Object.assign(this, { quirks, response, headers, begun: false, ended: false });
    }

    begin() {
        if (this.begun) return;
        this.begun = true;
        this.response.writeHead(200, { 'content-type': 'text/event-stream', ...this.headers });
        if (this.quirks.has('sse-bom')) this.response.write('\ufeff');
        if (this.quirks.has('sse-foreign')) this.response.write('event: other\ndata: not for you\n\n');
        if (this.quirks.has('sse-prime') || this.quirks.has('sse-resume')) {
            this.response.write('id: first\nretry: 100\ndata: \n\n');
        }
        if (this.quirks.has('sse-keepalive')) {
            const beat = setInterval(() => this.response.write(': alive\n\n'), 50);
            this.response.on('close', () => clearInterval(beat));
        }
    }

    send(message) {
        this.begin();
        const last = message.method === undefined;
        if (last && this.quirks.has('sse-no-answer')) return void this.response.end();
        const data = event(this.quirks, bytes(this.quirks, message), 'e1');
        const end = () => {
            if (last && !this.quirks.has('sse-open') && !this.quirks.has('sse-no-blank')) this.response.end();
        };
        if (last && this.quirks.has('sse-cut')) {
            return void this.response.write(data.subarray(0, data.length >> 1), () => this.response.socket.destroy());
        }
        if (this.quirks.has('sse-bytes')) return trickle((part) => this.response.write(part), data, end);
        this.response.write(data);
        if (last && this.quirks.has('twice')) this.response.write(data);
        return end();
    }
}

function plain(quirks, response, headers, message) {
    const data = bytes(quirks, message);
    const type = typeof quirks.get('content-type') === 'string' ? quirks.get('content-type') : 'application/json';
    const length = { 'content-length': data.length + (quirks.has('truncated') ? 10 : 0) };
    if (quirks.has('close-delimited')) {
        delete length['content-length'];
        Object.assign(response, { useChunkedEncodingByDefault: false, shouldKeepAlive: false });
    }
    response.writeHead(200, { 'content-type': type, ...length, ...headers });
    response.write(data, () => (quirks.has('truncated') ? response.socket.destroy() : undefined));
    if (!quirks.has('truncated')) response.end();
}

const page = '<!doctype html><title>hello</title>';

/** Quirks that answer a POST by themselves; whether one did. */
function early(quirks, state, request, response, message) {
    const moved = { 'redirect-307': [307, '/moved'], 'redirect-301': [301, '/moved'],
        'redirect-away': [307, 'http://127.0.0.1:1/mcp'] };
    for (const [name, [status, location]] of Object.entries(moved)) {
        if (!quirks.has(name) || request.url === '/moved') continue;
        response.writeHead(status, { location }).end();
        return true;
    }
    request.socket.requests = (request.socket.requests ?? 0) + 1;
    if (quirks.has('close-reused') && request.socket.requests > 1) {
        state.closed.push(message.method ?? '');
        request.socket.destroy();
        return true;
    }
    if (message.method !== 'tools/call') return false;
    if (quirks.has('reset')) return request.socket.resetAndDestroy(), true;
    if (quirks.has('html')) return response.writeHead(200, { 'content-type': 'text/html' }).end(page), true;
    if (quirks.has('status')) return response.writeHead(Number(quirks.get('status'))).end('{"error":"as you wished"}'), true;
    const lost = quirks.has('session-lost') ? 404 : quirks.has('session-lost-400') ? 400 : 0;
    if (lost === 0 || state.lost) return false;
    state.lost = true;
    const error = { code: lost === 404 ? -32001 : -32000, message: 'Session not found' };
    response.writeHead(lost, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
    return true;
}

function sessionHeaders(quirks, method) {
    const headers = quirks.has('big-header') ? { 'x-filler': 'x'.repeat(64 * 1024) } : {};
    if (method !== 'initialize' || quirks.has('no-session')) return headers;
    const name = quirks.has('header-case') ? 'MCP-SESSION-ID' : 'mcp-session-id';
    if (quirks.has('session-twice')) return { ...headers, [name]: [randomUUID(), randomUUID()] };
    return { ...headers, [name]: quirks.has('session-blank') ? 'two words' : randomUUID() };
}

async function post(quirks, take, state, request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (early(quirks, state, request, response, message)) return;
    const headers = sessionHeaders(quirks, message.method);
    if (message.method === undefined || message.id === undefined) {
        await take(message, () => {});
        response.writeHead(202, headers).end();
        return;
    }
    const stream = new Stream(quirks, response, headers);
    if (quirks.has('sse-resume') && message.method === 'tools/call') {
        stream.begin();
        setTimeout(() => response.end(), 20);
        await take(message, (one) => state.kept.push(one));
        return;
    }
    const json = quirks.has('json') || quirks.has('content-type') || quirks.has('close-delimited') || quirks.has('truncated');
    if (!json) stream.begin();
    await take(message, (one) => {
        if (!json) stream.send(one);
        else if (one.method === undefined) plain(quirks, response, headers, one);
    });
}

function get(quirks, state, request, response) {
    if (quirks.has('no-get')) return response.writeHead(405).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    if (request.headers['last-event-id'] === undefined) return undefined;
    const timer = setInterval(() => {
        state.kept.splice(0).forEach((one) => response.write(event(quirks, bytes(quirks, one), 'e2')));
    }, 10);
    response.on('close', () => clearInterval(timer));
    return undefined;
}

export function serveHttp(quirks, take) {
    const state = { lost: false, kept: [], closed: [] };
    const server = http.createServer((request, response) => {
        if (request.method === 'DELETE') return response.writeHead(200).end();
        if (request.method === 'GET') return get(quirks, state, request, response);
        return post(quirks, take, state, request, response).catch(() => response.destroy());
    });
    process.stdin.resume();
    process.stdin.on('end', () => process.exit(0));
    server.listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        process.stdout.write(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp`, port, pid: process.pid }) + '\n');
    });
}
