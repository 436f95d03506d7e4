// The low-level tools that preview_action and execute_action act through: what each needs, its class and capability.
// A table and pure functions over it; uses nothing. It executes nothing: that is desktop.mjs.

const AX = ['activate_app', 'activate_window', 'click_element', 'create_agent_space', 'destroy_space', 'fill_form',
    'hide_app', 'move_window_to_space', 'open_application', 'press_button', 'remove_window_from_space', 'resize_window',
    'select_menu_item', 'set_value', 'unhide_app'];
const PHYSICAL = ['double_click', 'hold_key', 'key', 'left_click', 'left_click_drag', 'left_mouse_down', 'left_mouse_up',
    'middle_click', 'mouse_move', 'multi_edit', 'multi_select', 'openai_computer', 'right_click', 'scroll', 'triple_click',
    'type'];
const QUIET = { agent_pointer: 'none', filesystem: 'filesystem', notification: 'none', process_kill: 'process',
    registry: 'registry', write_clipboard: 'none' };
const OBSERVE_AX = ['find_element', 'get_app_capabilities', 'get_cursor_window', 'get_focused_element',
    'get_frontmost_app', 'get_ui_tree', 'get_window', 'list_menu_bar', 'list_running_apps', 'list_windows'];
const OBSERVE = ['cursor_position', 'doctor', 'get_active_space', 'get_display_size', 'get_tool_guide',
    'get_tool_metadata', 'list_displays', 'list_spaces', 'policy_status', 'read_clipboard', 'scrape', 'screenshot',
    'snapshot', 'wait', 'zoom'];

const TOOLS = new Map();
function add(name, mutates, backend, supportedModes, interference, confidence) {
    TOOLS.set(name, { name, mutates, backend, supportedModes, interference, confidence });
}
const ATTENDED = ['shadow', 'foreground'];
const ANYHOW = ['shadow', 'background', 'foreground'];
const SEEN = ['shadow', 'background'];
AX.forEach((name) => add(name, true, 'ax', ATTENDED, 'takes_foreground', 0.75));
PHYSICAL.forEach((name) => add(name, true, 'physical_input', ATTENDED, 'moves_physical_pointer', 0.75));
add('run_script', true, 'scripting', ATTENDED, 'none', 0.75);
for (const [name, backend] of Object.entries(QUIET)) {
    add(name, true, backend, ANYHOW, name === 'agent_pointer' ? 'visual_overlay_only' : 'none', 1);
}
OBSERVE_AX.forEach((name) => add(name, false, 'ax', SEEN, 'none', 0.75));
OBSERVE.forEach((name) => add(name, false, 'none', SEEN, 'none', 1));
add('get_app_dictionary', false, 'scripting', SEEN, 'none', 0.75);

export const lowLevelNames = [...TOOLS.keys()].sort();
export const lowLevel = (name) => TOOLS.get(name);

const EVIDENCE = new Set([...PHYSICAL, 'click_element', 'set_value', 'press_button', 'select_menu_item', 'fill_form']);
export const needsEvidence = (tool) => EVIDENCE.has(tool);
export const needsMonitor = (tool) => TOOLS.get(tool).backend === 'physical_input';

const READS = { filesystem: ['read', 'list', 'search', 'info', 'exists'], registry: ['get', 'list', 'read'],
    process_kill: ['list'] };

/** Whether this call changes anything: a few tools have modes that only read. */
export function mutates(tool, args) {
    return TOOLS.get(tool).mutates && !(READS[tool] ?? []).includes(args.mode);
}

const EDITS = ['type', 'key', 'hold_key', 'set_value', 'fill_form', 'multi_edit', 'write_clipboard'];

/** The class of an action, before what its target turns out to be. */
export function actionClass(tool, args) {
    if (tool === 'read_clipboard') return 'secret_access';
    if (!mutates(tool, args)) return 'observe';
    if (tool === 'notification') return 'communicate_external';
    if (tool === 'run_script') return 'privilege_change';
    if (tool === 'process_kill' || tool === 'destroy_space') return 'destructive';
    if (tool === 'filesystem') return args.mode === 'delete' ? 'destructive' : 'edit_reversible';
    if (tool === 'registry') return args.mode === 'delete' ? 'destructive' : 'privilege_change';
    return EDITS.includes(tool) ? 'edit_reversible' : 'navigate';
}

export const reversible = (kind) => ['observe', 'navigate', 'edit_reversible'].includes(kind);
export const external = (tool, args) => mutates(tool, args)
    && !['write_clipboard', 'filesystem', 'agent_pointer'].includes(tool);

export function capability(tool, appId) {
    const { backend, supportedModes, interference, confidence } = TOOLS.get(tool);
    return { appId: appId ?? '*', operation: tool, backend, supportedModes, interference, confidence,
        verificationSource: 'platform_rule' };
}

const AUTOMATIC = { set_value: 'ui_element', fill_form: 'ui_element', process_kill: 'process' };
const FILE_CHANGES = ['write', 'append', 'delete', 'copy', 'move'];

/** What is read back after the action although no postcondition was given. */
export function automaticCheck(tool, args) {
    if (!mutates(tool, args)) return undefined;
    if (tool === 'filesystem') return FILE_CHANGES.includes(args.mode) ? 'filesystem' : undefined;
    if (tool === 'registry') return 'registry';
    return AUTOMATIC[tool];
}

const SECRET_FIELD = /pass(word|code)?|secret|token|credential|otp|one.?time|api.?key|pin/i;
export const secretSignals = (element) => [
    ...(/secure/i.test(element.role ?? '') ? ['secure_role'] : []),
    ...(SECRET_FIELD.test(element.label ?? '') ? ['sensitive_label'] : []),
];
