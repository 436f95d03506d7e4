// One connection's MCP server: the listed tools, their answers in the shapes of the wire, the resources and the faults
// that concern a connection. Uses the official SDK and the runtime. It holds no state of its own but the list's quirks.

import fs from 'node:fs';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { normalizeObjectSchema } from '@modelcontextprotocol/sdk/server/zod-compat.js';
import { ErrorCode, McpError, ListToolsRequestSchema, EmptyResultSchema, ListRootsResultSchema, CreateMessageResultSchema }
    from '@modelcontextprotocol/sdk/types.js';
import { EVENT_SCHEMA, SCHEMA_DIGEST, SCHEMA_URI } from './events.mjs';
import { capability, lowLevel, lowLevelNames } from './lowlevel.mjs';
import { manifest } from './manifest.mjs';
import { TOOLS, rawShape } from './schemas.mjs';
import { Answer, Governance } from './shapes.mjs';

const handlers = {
    start_session: (rt, who, args) => rt.sessions.start(who, args),
    get_session: (rt, who, args) => ({ session: rt.sessions.view(rt.sessions.own(who, args.session_id)) }),
    pause_session: (rt, who, args) => rt.sessions.control(who, args.session_id, 'paused_by_user', args.reason),
    resume_session: (rt, who, args) => rt.sessions.control(who, args.session_id, 'running'),
    take_over: (rt, who, args) => rt.sessions.control(who, args.session_id, 'paused_by_user', args.reason),
    stop_session: (rt, who, args) => rt.sessions.control(who, args.session_id, 'stopped', args.reason),
    approve_action: (rt, who, args) => rt.approvals.approve(rt.sessions.own(who, args.session_id), args.action_id, args),
    complete_session: (rt, who, args) => rt.sessions.complete(who, args),
    get_session_events: (rt, who, args) => {
        const { page, next } = rt.sessions.eventsAfter(who, args.session_id, args.after_sequence, args.limit);
        return { schema_uri: SCHEMA_URI, schema_digest: SCHEMA_DIGEST, events: page, next_sequence: next };
    },
    submit_follow_up: (rt, who, args) => rt.sessions.submit(who, args),
    get_follow_ups: (rt, who, args) => rt.sessions.followUpsAfter(who, args),
    delete_session: (rt, who, args) => ({ deletion: rt.remove(rt.sessions.own(who, args.session_id)) }),
    prune_sessions: (rt, who, args) => {
        const deletions = rt.sessions.terminalBefore(who, args.older_than, args.limit).map((one) => rt.remove(one));
        return { deletions, deleted: deletions.length };
    },
    reserve_target: (rt, who, args) => rt.reservations.reserve(rt.sessions.own(who, args.session_id), args),
    release_target_reservation: (rt, who, args) => rt.reservations.release(
        rt.sessions.own(who, args.session_id), args.reservation_id),
    get_execution_capabilities: (rt, who, args) => {
        if (!lowLevel(args.tool)) throw new Answer({ error: 'unknown_tool', tool: args.tool });
        return { capabilities: [capability(args.tool, args.app_id)] };
    },
    get_certification_trace: () => {
        throw new Answer({ error: 'certification_unavailable' });
    },
    preview_action: (rt, who, args) => rt.preview.look(rt.sessions.live(who, args.session_id), args).preview,
    acquire_control_lease: (rt, who, args, extra) => rt.leases.acquire(who, args, extra.signal),
    release_control_lease: (rt, who, args) => rt.leases.release(args.lease_id),
    emergency_stop: (rt, who, args) => rt.emergencyStop(args.reason),
};

function failure(error) {
    if (error instanceof Governance) return { error: error.code, message: error.message, details: error.details };
    if (error instanceof Answer) return error.content;
    return { error: 'runtime_error', message: error.message };
}

/** Content for the wire: the structured value, and the same as the last text block. */
function reply(options, value, blocks, isError) {
    const content = [...blocks, { type: 'text', text: JSON.stringify(value.text ?? value) }];
    return {
        content, ...(options.structured ? { structuredContent: JSON.parse(JSON.stringify(value.structured ?? value)) } : {}),
        ...(isError ? { isError: true } : {}),
    };
}

/** Arguments that do not fit are answered with the list of zod's issues as text. */
async function validate(tool, args, name) {
    const shape = normalizeObjectSchema(tool.inputSchema) ?? tool.inputSchema;
    const parsed = await shape.safeParseAsync(args ?? {});
    if (parsed.success) return parsed.data;
    throw new McpError(ErrorCode.InvalidParams, `Input validation error: Invalid arguments for tool ${name}: `
        + JSON.stringify(parsed.error.issues, null, 2));
}

const SCOPES = { screenshot: 'screenshot', snapshot: 'screenshot', zoom: 'screenshot' };
function scopeOf(name, args) {
    if (name !== 'execute_action') return TOOLS[name].scope;
    return SCOPES[args.tool] ?? (lowLevel(args.tool)?.mutates === false ? 'observe' : 'execute');
}

/** Waits, and lets nothing else run, until somebody reads standard error. */
function writeBlocking(line) {
    for (;;) {
        try {
            fs.writeSync(2, line);
            return;
        } catch (error) {
            if (error.code !== 'EAGAIN') throw error;
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
        }
    }
}

const SERVER_REQUESTS = {
    ping: [{ method: 'ping' }, EmptyResultSchema],
    roots: [{ method: 'roots/list' }, ListRootsResultSchema],
    sampling: [{ method: 'sampling/createMessage', params: { maxTokens: 10,
        messages: [{ role: 'user', content: { type: 'text', text: 'May I?' } }] } }, CreateMessageResultSchema],
};

export class Connection {
    constructor(runtime, principal, scopes) {
        this.runtime = runtime;
        this.options = runtime.options;
        this.principal = principal;
        this.scopes = scopes;
        this.flooded = false;
        this.server = new McpServer({ name: 'computer-use', version: '7.0.0' });
        this.server.validateToolInput = validate;
        if (!this.options.noV8) Object.keys(TOOLS).forEach((name) => this.register(name));
        lowLevelNames.forEach((name) => this.registerRaw(name));
        this.resources();
        this.listQuirks();
    }

    register(name) {
        const tool = TOOLS[name];
        const acts = !tool.readOnly;
        const drives = name === 'execute_action';
        this.server.registerTool(name, {
            description: tool.description, inputSchema: tool.shape,
            annotations: { readOnlyHint: !acts, destructiveHint: tool.destructive ?? false,
                idempotentHint: tool.readOnly ?? tool.idempotent ?? false, openWorldHint: tool.openWorld ?? false },
            _meta: { 'computer-use/focusRequired': drives ? 'cgevent' : 'none', 'computer-use/mutates': acts,
                'computer-use/requiresFocus': drives, 'computer-use/movesUserCursor': drives,
                'computer-use/usesVirtualPointer': drives, 'computer-use/physicalInput': drives, 'computer-use/tier': 'core' },
        }, (args, extra) => this.call(name, args, extra));
    }

    registerRaw(name) {
        const { mutates } = lowLevel(name);
        const tool = this.server.registerTool(name, {
            description: `Low-level ${name}.`, inputSchema: rawShape,
            annotations: { readOnlyHint: !mutates, destructiveHint: mutates, idempotentHint: !mutates, openWorldHint: mutates },
        }, async (args, extra) => {
            await this.runtime.faults.moment(name, 'before', extra.signal);
            const result = this.runtime.desktop.run(name, args, { actionId: null });
            await this.runtime.faults.moment(name, 'after', extra.signal);
            return result;
        });
        if (!this.options.rawTools && !this.options.noV8) tool.disable();
    }

    async call(name, args, extra) {
        const { faults } = this.runtime;
        const needed = scopeOf(name, args);
        if (this.scopes && !this.scopes.includes(needed)) throw new Error(`missing required scope: computer:${needed}`);
        await this.bother(extra);
        if (faults.struck('cutStream', name, 'after')) extra.closeSSEStream?.();
        await faults.moment(name, 'before', extra.signal);
        const answer = await this.answer(name, args, extra);
        await faults.moment(name, 'after', extra.signal);
        return answer;
    }

    async answer(name, args, extra) {
        const { runtime, options, principal } = this;
        try {
            if (name === 'execute_action') return await this.execute(args, extra);
            const value = await handlers[name](runtime, principal, args, extra);
            const copy = JSON.parse(JSON.stringify(value));
            runtime.faults.spoil(name, copy);
            return reply(options, copy, []);
        } catch (error) {
            const value = JSON.parse(JSON.stringify(failure(error)));
            runtime.faults.spoil(name, value);
            return reply(options, value, [], true);
        }
    }

    async execute(args, extra) {
        const { runtime, options, principal } = this;
        const session = runtime.sessions.live(principal, args.session_id);
        const { receipt, replay } = await runtime.executor.run(session, args, extra.signal);
        const inner = receipt.result;
        const structured = JSON.parse(JSON.stringify({ receipt, replay, output: inner?.structuredContent }));
        runtime.faults.spoil('execute_action', structured);
        const { output, ...text } = structured;
        return reply(options, { structured, text }, inner?.content ?? []);
    }

    /** What a server may do to its client in the middle of a call. */
    async bother(extra) {
        const { options } = this;
        if (options.stderrFlood > 0 && !this.flooded) {
            this.flooded = true;
            const line = 'x'.repeat(1023) + '\n';
            for (let left = options.stderrFlood; left > 0; left -= line.length) writeBlocking(line);
        }
        const token = extra._meta?.progressToken;
        for (let step = 1; options.progress && token !== undefined && step <= 3; step += 1) {
            await extra.sendNotification({ method: 'notifications/progress',
                params: { progressToken: token, progress: step, total: 3 } });
        }
        for (const kind of options.serverRequest) {
            const [request, schema] = SERVER_REQUESTS[kind];
            const outcome = await extra.sendRequest(request, schema).then(() => 'result', (error) => `error ${error.code}`);
            process.stderr.write(JSON.stringify({ serverRequest: kind, outcome }) + '\n');
        }
    }

    resources() {
        const { server, runtime, options, principal } = this;
        const json = (uri, value) => ({ contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value) }] });
        server.registerResource('capability manifest', 'computer://capabilities/manifest', { mimeType: 'application/json' },
            (uri) => json(uri, manifest(options)));
        if (options.noV8) return;
        server.registerResource('event schema', SCHEMA_URI, { mimeType: 'application/json' },
            (uri) => json(uri, { schema: EVENT_SCHEMA, digest: SCHEMA_DIGEST }));
        server.registerResource('current session', 'computer://session/current', { mimeType: 'application/json' }, (uri) => {
            const newest = runtime.sessions.newest(principal);
            return json(uri, newest ? { session: runtime.sessions.view(newest) } : { session: null });
        });
        const list = () => ({ resources: [...runtime.sessions.all.values()].filter((one) => one.principalId === principal)
            .map((one) => ({ uri: `computer://session/${one.sessionId}`, name: one.sessionId, mimeType: 'application/json' })) });
        server.registerResource('session', new ResourceTemplate('computer://session/{id}', { list }),
            { mimeType: 'application/json' },
            (uri, { id }) => json(uri, { session: runtime.sessions.view(runtime.sessions.own(principal, id)) }));
    }

    /** Pages and unasked notices of tools/list. */
    listQuirks() {
        const { options } = this;
        const inner = this.server.server;
        const whole = inner._requestHandlers.get('tools/list');
        inner.setRequestHandler(ListToolsRequestSchema, async (request, extra) => {
            if (options.listChanged) await extra.sendNotification({ method: 'notifications/tools/list_changed' });
            const { tools } = await whole(request, extra);
            if (options.pages <= 1 && !options.sameCursor && !options.emptyCursor) return { tools };
            return page(tools, options, request.params?.cursor);
        });
    }
}

/** With --empty-cursor the first page's cursor is "", which is a cursor; with --same-cursor there is always a next page. */
function page(tools, options, cursor) {
    const pages = Math.max(options.pages, 2);
    const size = Math.ceil(tools.length / pages);
    if (options.sameCursor) return { tools: tools.slice(0, size), nextCursor: 'again' };
    const index = cursor === undefined ? 0 : cursor === '' ? 1 : Number(cursor.slice(5));
    const part = tools.slice(index * size, (index + 1) * size);
    if (index + 1 >= pages) return { tools: part };
    return { tools: part, nextCursor: options.emptyCursor && index === 0 ? '' : `page-${index + 1}` };
}
