// Approves one action over the supervisor's socket of the stand-in, as a person beside it would.
// Usage: node approve.mjs SOCKET TOKEN PRINCIPAL SESSION ACTION. Prints the grant's id. Nothing else.
import net from 'node:net';
import process from 'node:process';

const [path, token, principalId, sessionId, actionId] = process.argv.slice(2);
const socket = net.connect(path);
let rest = '';
const say = (message) => socket.write(JSON.stringify(message) + '\n');
socket.on('connect', () => say({ type: 'hello', token, principalId }));
socket.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
        const message = JSON.parse(line);
        if (message.type === 'hello') say({ type: 'approve', sessionId, actionId });
        if (message.type === 'approved') process.stdout.write(message.grant.grantId + '\n', () => process.exit(0));
        if (message.type === 'error') process.stderr.write(line + '\n', () => process.exit(1));
    }
});
socket.on('error', (error) => process.stderr.write(error.message + '\n', () => process.exit(1)));
setTimeout(() => process.exit(2), 10000).unref();
