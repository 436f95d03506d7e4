// The faults a test orders: TOOL[:before|after][@N][=VALUE] for --delay, --lose, --crash and the two "after effect" ones,
// TOOL[@N]:/json/pointer[=JSON] for --fault. TOOL is a listed tool, a low-level tool (then the fault strikes inside
// execute_action, around the effect), `capture` (between the lease's check and action.started) or `*`.
// N counts the matching moments from 1; without it every one is struck. Uses shapes. It must never touch the world itself.

import { pause } from './shapes.mjs';

function timed(text, kind) {
    const match = /^([\w*]+)(?::(before|after))?(?:@(\d+))?(?:=(\d+))?$/.exec(text);
    if (!match) throw new Error(`--${kind} wants TOOL[:before|after][@N], not ${text}`);
    const initial = kind === 'delay' ? 'before' : 'after';
    return { kind, tool: match[1], when: match[2] ?? initial, nth: match[3] && Number(match[3]),
        value: match[4] && Number(match[4]), seen: 0 };
}

function pointed(text) {
    const match = /^([\w*]+)(?:@(\d+))?:(\/[^=]*)(?:=(.*))?$/s.exec(text);
    if (!match) throw new Error(`--fault wants TOOL[@N]:/pointer[=JSON], not ${text}`);
    const value = match[4] === undefined ? undefined : JSON.parse(match[4]);
    return { kind: 'fault', tool: match[1], when: 'reply', nth: match[2] && Number(match[2]), pointer: match[3], value,
        seen: 0 };
}

function put(root, pointer, value) {
    const path = pointer.slice(1).split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = path.pop();
    let at = root;
    for (const part of path) {
        if (at === null || typeof at !== 'object' || !(part in at)) return;
        at = at[part];
    }
    if (at === null || typeof at !== 'object') return;
    if (value !== undefined) at[Array.isArray(at) && last === '-' ? at.length : last] = value;
    else if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
}

export class Faults {
    constructor(options) {
        this.all = options.fault.map(pointed);
        for (const kind of ['delay', 'lose', 'crash', 'errorBeforeEffect', 'errorAfterEffect', 'throwAfterEffect', 'cutStream']) {
            this.all.push(...options[kind].map((text) => timed(text, kind)));
        }
    }

    /** The fault of this kind that strikes now, if any. */
    struck(kind, tool, when) {
        let found;
        for (const one of this.all) {
            if (one.kind !== kind || one.when !== when || (one.tool !== '*' && one.tool !== tool)) continue;
            one.seen += 1;
            if (one.nth === undefined || one.nth === one.seen) found ??= one;
        }
        return found;
    }

    /** A moment at which a call may be delayed, lost or the whole process may die. */
    async moment(tool, when, signal) {
        const late = this.struck('delay', tool, when);
        if (late) await pause(late.value ?? 0, signal);
        if (this.struck('crash', tool, when)) {
            process.kill(process.pid, 'SIGKILL');
            await pause(Infinity);
        }
        if (this.struck('lose', tool, when)) await pause(Infinity, signal);
    }

    /** Changes members of a reply as --fault says; returns whether it changed any. */
    spoil(tool, content) {
        let changed = false;
        for (const one of this.all) {
            if (one.kind !== 'fault' || (one.tool !== '*' && one.tool !== tool)) continue;
            one.seen += 1;
            if (one.nth !== undefined && one.nth !== one.seen) continue;
            put(content, one.pointer, one.value);
            changed = true;
        }
        return changed;
    }
}
