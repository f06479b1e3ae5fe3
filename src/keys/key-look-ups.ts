import { Injectable } from '@nestjs/common';
import { ApiKeysRepository, type FoundKey } from './api-keys.repository.js';

interface Group {
  readonly hashes: Map<string, Buffer>;
  readonly found: Promise<ReadonlyMap<string, FoundKey>>;
}

/**
 * Looks up the keys of requests that arrive in the same moment in one statement. It remembers nothing: the statement
 * of each look-up begins after its request has come, so that it sees every revocation that was answered before.
 */
@Injectable()
export class KeyLookUps {
  /** The one that is still being gathered. */
  private group?: Group;

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
    // Before the statement is sent: who comes from here on must not share an answer that is older than its request.
    this.group = undefined;
    return await this.keys.findByHashes(hashes);
  }
}
