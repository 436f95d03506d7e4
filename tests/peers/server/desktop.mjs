// The fake desktop: three windows, their elements, a clipboard, files, processes. Observations read it; every change is
// one line in the world's file before it is made, and a new process makes the old lines' changes again.
// Uses lowlevel and shapes. It knows nothing of sessions, leases or receipts.

import fs from 'node:fs';
import { mutates } from './lowlevel.mjs';
import { readFile, seenElements } from './reading.mjs';
import { now, sha256 } from './shapes.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

const start = () => ({
    windows: [
        { windowId: 7, bundleId: 'org.example.Editor', pid: 4242, title: 'Report.txt', displayId: 1,
            bounds: { x: 100, y: 80, width: 800, height: 600 } },
        { windowId: 42, bundleId: 'org.example.Browser', pid: 4300, title: 'Sign in', displayId: 1,
            bounds: { x: 0, y: 0, width: 1200, height: 900 } },
        { windowId: 99, bundleId: 'org.example.Terminal', pid: 4100, title: 'user shell', displayId: 1,
            bounds: { x: 10, y: 10, width: 640, height: 480 } },
    ],
    elements: {
        7: [{ role: 'AXTextField', label: 'Name', value: '' }, { role: 'AXTextField', label: 'Shipping city', value: '' },
            { role: 'AXTextArea', label: 'Body', value: 'Draft' }, { role: 'AXButton', label: 'Save' },
            { role: 'AXButton', label: 'Send' }, { role: 'AXButton', label: 'Close' }],
        42: [{ role: 'AXTextField', label: 'User', value: '' }, { role: 'AXSecureTextField', label: 'Passphrase', value: '' },
            { role: 'AXButton', label: 'Sign in' }],
        99: [{ role: 'AXTextArea', label: 'Shell', value: '$ ' }],
    },
    frontmost: 99, clipboard: '', notifications: [], cursor: [0, 0],
    files: { '/home/user/notes.txt': 'notes', '/etc/shadow': 'root:*:1:0:99999:7:::' }, pids: [4100, 4242, 4300],
});

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const json = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
const failed = (value) => ({ ...json(value), isError: true });

export class Desktop {
    constructor(file, fill = 0, misread = undefined) {
        this.file = file;
        this.fill = fill;
        this.misread = misread;
        this.state = start();
        this.count = 0;
        this.snapshots = 0;
        if (!file || !fs.existsSync(file)) return;
        for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
            if (line === '') continue;
            const effect = JSON.parse(line);
            this.count += 1;
            this.change(effect.tool, effect.arguments);
        }
    }

    window(id) {
        return this.state.windows.find((one) => one.windowId === id);
    }

    elements(windowId, { role, label }) {
        return (this.state.elements[windowId] ?? []).filter((one) => (role === undefined || one.role === role)
            && (label === undefined || one.label === label));
    }

    /** Notes an effect in the world's file, then makes it. `who` says for which action. */
    act(tool, args, who) {
        this.count += 1;
        const effect = { n: this.count, at: now(), pid: process.pid, ...who, tool, arguments: args };
        if (this.file) fs.appendFileSync(this.file, JSON.stringify(effect) + '\n');
        this.change(tool, args);
        return tool === 'write_clipboard' ? text('Clipboard updated') : json({ ok: true });
    }

    change(tool, args) {
        const { state } = this;
        const windowId = args.window_id ?? args.target_window_id;
        if (tool === 'write_clipboard') state.clipboard = String(args.text ?? '');
        else if (tool === 'notification') state.notifications.push({ title: args.title, message: args.message });
        else if (tool === 'set_value') this.fillIn(windowId, [args]);
        else if (tool === 'fill_form') this.fillIn(windowId, args.fields ?? []);
        else if (tool === 'press_button' || tool === 'click_element') this.press(windowId, args.label ?? args.title);
        else if (tool === 'type') this.typeText(windowId ?? state.frontmost, String(args.text ?? ''));
        else if (tool === 'filesystem') this.changeFile(args);
        else if (tool === 'process_kill') state.pids = state.pids.filter((pid) => pid !== args.pid);
        else if (tool === 'activate_window') state.frontmost = windowId ?? state.frontmost;
        else if (tool === 'resize_window') Object.assign(this.window(windowId)?.bounds ?? {}, args.bounds ?? {});
        else if (args.coordinate) state.cursor = args.coordinate;
    }

    fillIn(windowId, fields) {
        for (const field of fields) {
            for (const element of this.elements(windowId, field)) element.value = String(field.value ?? '');
        }
    }

    press(windowId, label) {
        const window = this.window(windowId);
        if (!window) return;
        if (label === 'Save') window.title = 'Report.txt — saved';
        if (label === 'Close') this.state.windows = this.state.windows.filter((one) => one !== window);
    }

    typeText(windowId, typed) {
        const area = this.elements(windowId, { role: 'AXTextArea' })[0];
        if (area) area.value += typed;
    }

    changeFile({ mode, path, destination, content = '' }) {
        const { files } = this.state;
        if (mode === 'write') files[path] = String(content);
        else if (mode === 'append') files[path] = (files[path] ?? '') + content;
        else if (mode === 'delete') delete files[path];
        else if (mode === 'copy' || mode === 'move') {
            files[destination] = files[path] ?? '';
            if (mode === 'move') delete files[path];
        }
    }

    /** What an observing tool answers. */
    look(tool, args) {
        const { state } = this;
        const windowId = args.window_id ?? args.target_window_id;
        const window = this.window(windowId ?? state.frontmost);
        if (['get_window', 'get_ui_tree', 'find_element'].includes(tool) && !window) return failed({ error: 'window_not_found' });
        if (tool === 'snapshot' || tool === 'screenshot') return this.snapshot(tool, args);
        if (tool === 'get_window') return json(window);
        if (tool === 'get_ui_tree') return json(this.filled({ windowId: window.windowId, elements: this.elements(window.windowId, {}) }));
        if (tool === 'find_element') return seenElements(this.elements(window.windowId, args), args, this.misread);
        if (tool === 'list_windows') {
            return json({ windows: state.windows.filter((one) => !args.bundle_id || one.bundleId === args.bundle_id) });
        }
        if (tool === 'read_clipboard') return json({ text: state.clipboard });
        if (tool === 'cursor_position') return json({ x: state.cursor[0], y: state.cursor[1] });
        if (tool === 'get_frontmost_app') return json({ bundleId: window?.bundleId, windowId: window?.windowId });
        if (tool === 'filesystem') return readFile(state.files, args, this.misread);
        return json({ ok: true });
    }

    filled(value) {
        return this.fill > 0 ? { ...value, filler: 'x'.repeat(this.fill) } : value;
    }

    snapshot(tool, args) {
        const seen = json(this.filled({ observation_id: `snap-${this.snapshots}`, windows: this.state.windows,
            frontmostWindowId: this.state.frontmost }));
        this.snapshots += 1;
        if (args.use_vision || tool === 'screenshot') {
            seen.content.push({ type: 'image', data: PIXEL, mimeType: 'image/png' });
        }
        return structuredClone(seen);
    }

    run(tool, args, who) {
        return mutates(tool, args) ? this.act(tool, args, who) : structuredClone(this.look(tool, args));
    }

    /** Whether evidence of a target still describes the live desktop. */
    matches(target, platform) {
        const window = this.window(target.windowId);
        if (!window || target.platform !== platform || target.appId !== window.bundleId) return false;
        for (const unknown of ['role', 'labelDigest', 'screenshotHash', 'uiTreeRevision']) {
            if (target[unknown] !== undefined) return false;
        }
        if (target.pid !== undefined && target.pid !== window.pid) return false;
        if (target.displayId !== undefined && target.displayId !== String(window.displayId)) return false;
        if (target.windowTitleDigest !== undefined && target.windowTitleDigest !== sha256(window.title)) return false;
        return target.bounds === undefined || ['x', 'y', 'width', 'height']
            .every((side) => Math.abs(target.bounds[side] - window.bounds[side]) <= 4);
    }

    /** Whether a postcondition holds now. */
    holds(expected, windowId) {
        const sha = (value) => 'sha256:' + sha256(value);
        if (expected.kind === 'window') return (this.window(expected.windowId) !== undefined) === expected.exists;
        if (expected.kind === 'process') return !this.state.pids.includes(expected.pid);
        if (expected.kind === 'filesystem') {
            const content = this.state.files[expected.path];
            return (content !== undefined) === expected.exists
                && (expected.contentDigest === undefined || sha(content) === expected.contentDigest);
        }
        if (expected.kind === 'ui_element') {
            const found = this.elements(windowId, expected);
            return (found.length > 0) === expected.exists
                && (expected.valueDigest === undefined || found.some((one) => sha(one.value ?? '') === expected.valueDigest));
        }
        return false;
    }
}
