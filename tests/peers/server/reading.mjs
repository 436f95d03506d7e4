// What the reading tools answer: elements of a window, and files, as texts without structured content. --misread makes
// one of them wrong in a way that a reader has to notice. Uses lowlevel (what is secret). It changes nothing.

import { secretSignals } from './lowlevel.mjs';

const DIRECTORIES = ['/', '/etc', '/home', '/home/user'];
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const failed = (value) => ({ ...text(value), isError: true });

/** Protected values do not leave the server. */
function shown(element) {
    const sensitivitySignals = secretSignals(element);
    if (sensitivitySignals.length === 0) return { ...element, sensitivitySignals };
    return { ...element, value: null, sensitive: true, sensitivitySignals };
}

const SPOILED = {
    differs: (value) => value + '!', cut: (value) => value.slice(0, 1) + '…', masked: (value) => '•'.repeat(value.length),
    replaced: (value) => value.slice(1) + '\uFFFD', longer: (value) => value + 'x'.repeat(1 << 20),
};

/** find_element: the matches, at most `max_results`. */
export function seenElements(found, { max_results: most = 25 }, misread) {
    if (misread === 'error') return failed('element lookup failed');
    let list = found.slice(0, most).map(shown);
    if (misread === 'none') list = [];
    if (misread === 'twice') list = [...list, ...list];
    if (misread === 'full' && list.length > 0) {
        list = [...list, ...Array(most).fill({ ...list[0], label: 'Another' })].slice(0, most);
    }
    if (misread === 'flagged') list = list.map((one) => ({ ...one, truncated: true }));
    if (misread === 'sensitive') list = list.map((one) => ({ ...one, sensitive: true }));
    const spoil = SPOILED[misread];
    if (spoil) list = list.map((one) => ({ ...one, value: spoil(one.value ?? '') }));
    return text(JSON.stringify(list));
}

/** The modes of filesystem that read. */
export function readFile(files, { mode, path }, misread) {
    if (misread === 'error') return failed('the disk is gone');
    if (mode === 'list') {
        const inside = path.endsWith('/') ? path : path + '/';
        const names = Object.keys(files).filter((one) => one.startsWith(inside) && !one.slice(inside.length).includes('/'))
            .map((one) => 'f ' + one.slice(inside.length));
        if (!DIRECTORIES.includes(path)) return failed(`Directory not found: ${path}`);
        return text(misread === 'differs' ? names.join('\n').toUpperCase() : names.join('\n') || '(empty)');
    }
    const content = files[path];
    if (content === undefined) return failed(`${mode === 'info' ? 'Not found' : 'File not found'}: ${path}`);
    const size = Buffer.byteLength(content);
    if (mode === 'info') return text(JSON.stringify({ path, type: misread === 'none' ? 'directory' : 'file', size }));
    const spoil = SPOILED[misread];
    if (misread === 'differs') return text(content.replace(/^./s, (first) => (first === 'X' ? 'Y' : 'X')));
    return text(spoil ? spoil(content) : content);
}
