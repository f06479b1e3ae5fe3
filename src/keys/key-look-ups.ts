import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiKeysRepository, type FoundKey } from './api-keys.repository.js';

interface Group {
  readonly hashes: Map<string, Buffer>;
  readonly found: Promise<ReadonlyMap<string, FoundKey>>;
}

/** How long requests wait for the statement before: it may hang, and must not hold up everybody behind it. */
const LONGEST_WAIT_MS = 3;

/**
 * Looks up the keys of requests that arrive in the same moment, or while the statement before is under way, in one
 * statement. It remembers nothing: the statement of each look-up begins after its request has come, so that it sees
 * every revocation that was answered before.
 */
@Injectable()
export class KeyLookUps {
  /** The one that is still being gathered. */
  private group?: Group;
  /** The statement that is under way. */
  private sent?: Promise<unknown>;

  constructor(private readonly keys: ApiKeysRepository) {}

  /** The active key with this hash, of whichever organization. */
  async find(hash: Buffer): Promise<FoundKey | undefined> {
    const name = hash.toString('latin1');
    const group = (this.group ??= this.gather());
    group.hashes.set(name, hash);
    return (await group.found).get(name);
  }

  private gather(): Group {
    const hashes = new Map<string, Buffer>();
    return { hashes, found: this.findAll(hashes) };
  }

  private async findAll(hashes: ReadonlyMap<string, Buffer>): Promise<Map<string, FoundKey>> {
    // Once all is read that has come in by now, from every connection.
    await new Promise((done) => setImmediate(done));
    if (this.sent) await Promise.race([this.sent, sleep(LONGEST_WAIT_MS)]);
    // Before the statement is sent: who comes from here on must not share an answer that is older than its request.
    this.group = undefined;
    const found = this.keys.findByHashes(hashes);
    const over = (): void => {
      if (this.sent === sent) this.sent = undefined;
    };
    const sent = found.then(over, over);
    this.sent = sent;
    return await found;
  }
}
