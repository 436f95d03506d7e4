// Receipts by session and action id: in memory with their whole results, or as files without them.
// A receipt begins as pending and ends once; a durable one that a crash left pending stays so for ever.
// Uses shapes and node's fs. It never runs anything.

import fs from 'node:fs';
import path from 'node:path';
import { Answer, Governance, compact, newId, now, sha256 } from './shapes.mjs';

const key = (sessionId, actionId) => sessionId + '\n' + actionId;

export class Receipts {
    constructor(directory) {
        this.all = new Map();
        this.directory = directory;
        if (!directory) return;
        fs.mkdirSync(directory, { recursive: true });
        for (const name of fs.readdirSync(directory).filter((one) => one.endsWith('.json'))) {
            const receipt = JSON.parse(fs.readFileSync(path.join(directory, name), 'utf8'));
            this.all.set(key(receipt.sessionId, receipt.actionId), receipt);
        }
    }

    file(receipt) {
        return path.join(this.directory, sha256(key(receipt.sessionId, receipt.actionId)) + '.json');
    }

    save(receipt) {
        if (!this.directory) return;
        fs.writeFileSync(this.file(receipt) + '~', JSON.stringify(receipt));
        fs.renameSync(this.file(receipt) + '~', this.file(receipt));
    }

    /** A new pending receipt, or the stored one to replay; throws where the id may not be used again. */
    begin(envelope, attempt) {
        const at = key(envelope.sessionId, envelope.actionId);
        const old = this.all.get(at);
        if (!old) {
            const created = now();
            const receipt = { receiptId: newId(), sessionId: envelope.sessionId, actionId: envelope.actionId,
                actionDigest: envelope.argsDigest, attempt, status: 'pending', createdAt: created, updatedAt: created };
            this.all.set(at, receipt);
            this.save(receipt);
            return { receipt, replay: false };
        }
        if (old.actionDigest !== envelope.argsDigest) {
            throw new Governance('action_id_conflict', 'action_id was reused with a different digest',
                { sessionId: envelope.sessionId, actionId: envelope.actionId });
        }
        if (old.status === 'pending') {
            throw new Governance('indeterminate', 'prior execution may have crossed the side-effect boundary',
                { receiptId: old.receiptId });
        }
        if (old.status !== 'committed') throw new Answer({ error: old.status, receipt: old });
        return { receipt: old, replay: true };
    }

    finish(receipt, status, { result, error }) {
        const kept = this.directory && error
            ? { ...error, message: `[REDACTED sha256:${sha256(error.message)} length:${error.message.length}]` }
            : error;
        Object.assign(receipt, compact({ status, updatedAt: now(), result: this.directory ? undefined : result, error: kept }));
        this.save(receipt);
    }

    drop(sessionId) {
        let count = 0;
        for (const [at, receipt] of this.all) {
            if (receipt.sessionId !== sessionId) continue;
            count += 1;
            this.all.delete(at);
            if (this.directory) fs.rmSync(this.file(receipt), { force: true });
        }
        return count;
    }
}
