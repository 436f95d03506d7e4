// The stand-in's switches: read from the command line (--name value, --name=value) and from the environment
// (PEER_NAME for a switch; the COMPUTER_USE_* variables that the real server knows). Uses nothing else.
// It decides nothing: what a switch does is said where it is used. README.md lists them for people.

const text = (initial) => ({ kind: 'text', initial });
const number = (initial) => ({ kind: 'number', initial });
const flag = () => ({ kind: 'flag', initial: false });
const list = () => ({ kind: 'list', initial: [] });

const SWITCHES = {
    // What the server is.
    rules: text('20002ace'), principal: text(undefined), profile: text('v8-safe'), platform: text('linux'),
    rawTools: flag(), noV8: flag(), structuredContent: text('true'), noInputMonitor: flag(),
    outsideProfile: list(), fsRoot: list(), blockedApp: list(), allowedApp: list(), confirmApp: list(),
    disabledTool: list(), minimumConfidence: number(0),
    // What it keeps, and where.
    world: text(undefined), durableReceipts: text(undefined), durableSessions: text(undefined),
    eventJournal: text(undefined), state: text(undefined), restartMemory: flag(), recoveryDelay: number(20),
    // Faults of a call.
    delay: list(), lose: list(), crash: list(), fault: list(), errorAfterEffect: list(), throwAfterEffect: list(),
    errorBeforeEffect: list(), bigResult: number(0), misread: text(undefined), userActivityAfter: number(0),
    // Faults of the connection.
    noise: flag(), stderrFlood: number(0), listChanged: flag(), pages: number(1), sameCursor: flag(),
    emptyCursor: flag(), serverRequest: list(), progress: flag(), stay: flag(), splitWrites: flag(),
    // HTTP and the supervisor's socket.
    http: flag(), tlsKey: text(undefined), tlsCert: text(undefined), leash: flag(), port: number(0), token: list(), idleMs: number(30000), rate: number(120), jsonReply: flag(),
    retryMs: number(undefined), cutStream: list(), approveAnother: flag(), supervisorSocket: text(undefined), supervisorToken: text(undefined),
};

const kebab = (name) => name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase());
const BY_FLAG = new Map(Object.keys(SWITCHES).map((name) => ['--' + kebab(name), name]));

function store(options, name, value) {
    const { kind } = SWITCHES[name];
    if (kind === 'list') options[name] = [...options[name], value];
    else if (kind === 'number') {
        options[name] = Number(value);
        if (!Number.isFinite(options[name])) throw new Error(`--${kebab(name)} wants a number, not ${value}`);
    } else if (kind === 'flag') options[name] = value === undefined || value === '1' || value === 'true';
    else options[name] = value;
}

function fromEnvironment(options, env) {
    for (const name of Object.keys(SWITCHES)) {
        const value = env['PEER_' + kebab(name).slice(0).toUpperCase().replaceAll('-', '_')];
        if (value === undefined) continue;
        if (SWITCHES[name].kind === 'list') value.split('\n').forEach((one) => store(options, name, one));
        else store(options, name, value);
    }
    const real = {
        COMPUTER_USE_PRINCIPAL_ID: 'principal', COMPUTER_USE_ACTIVE_PROFILE: 'profile',
        COMPUTER_USE_STRUCTURED_CONTENT: 'structuredContent', COMPUTER_USE_RECEIPT_DIR: 'durableReceipts',
        COMPUTER_USE_SESSION_DIR: 'durableSessions', COMPUTER_USE_EVENT_JOURNAL: 'eventJournal',
        COMPUTER_USE_SUPERVISOR_SOCKET: 'supervisorSocket', COMPUTER_USE_SUPERVISOR_TOKEN: 'supervisorToken',
    };
    for (const [variable, name] of Object.entries(real)) if (env[variable]) store(options, name, env[variable]);
    const lists = {
        COMPUTER_USE_FS_ROOTS: 'fsRoot', COMPUTER_USE_ALLOWED_APPS: 'allowedApp', COMPUTER_USE_BLOCKED_APPS: 'blockedApp',
    };
    for (const [variable, name] of Object.entries(lists)) {
        for (const one of (env[variable] ?? '').split(',').filter(Boolean)) store(options, name, one);
    }
}

function fromArguments(options, argv) {
    const rest = [...argv];
    while (rest.length > 0) {
        const word = rest.shift();
        const cut = word.indexOf('=');
        const name = BY_FLAG.get(cut > 0 ? word.slice(0, cut) : word);
        if (!name) throw new Error(`unknown switch ${word}`);
        if (cut > 0) store(options, name, word.slice(cut + 1));
        else if (SWITCHES[name].kind === 'flag') store(options, name, undefined);
        else if (SWITCHES[name].kind === 'list' && (rest.length === 0 || rest[0].startsWith('--'))) store(options, name, '*');
        else if (rest.length === 0) throw new Error(`${word} wants a value`);
        else store(options, name, rest.shift());
    }
}

/** The switches as one object, by their camel-case names; throws on a switch it does not know. */
export function readOptions(argv, env) {
    const options = {};
    for (const [name, { initial }] of Object.entries(SWITCHES)) options[name] = Array.isArray(initial) ? [] : initial;
    fromEnvironment(options, env);
    fromArguments(options, argv);
    if (!['ee3ecc0b', '20002ace'].includes(options.rules)) throw new Error('--rules wants ee3ecc0b or 20002ace');
    if (options.state) {
        options.durableReceipts ??= options.state + '/receipts';
        options.durableSessions ??= options.state + '/sessions';
        options.eventJournal ??= options.state + '/events.jsonl';
    }
    if (options.restartMemory) options.durableReceipts = options.durableSessions = options.eventJournal = undefined;
    options.principal ??= 'local-user';
    options.structured = options.structuredContent !== 'false';
    return options;
}
