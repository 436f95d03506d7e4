// Preload (node --require): every TCP server of the process listens on 127.0.0.1, whatever address it asks for.
// Changes the last step before the bind, so that a server without an address still listens at once. Also gives node 18
// the global `crypto` that the SDK's HTTP transport wants. Nothing else.
'use strict';

const net = require('node:net');

globalThis.crypto ??= require('node:crypto').webcrypto;

const bind = net.Server.prototype._listen2;
net.Server.prototype._listen2 = function listenOnLoopback(address, port, type, ...rest) {
    if (typeof port !== 'number' || port < 0) return bind.call(this, address, port, type, ...rest);
    return bind.call(this, '127.0.0.1', port, 4, ...rest);
};
