import { Injectable } from '@nestjs/common';
import { Batcher } from '../batching/batcher.js';
import { ApiKeysRepository, type FoundKey } from './api-keys.repository.js';

/**
 * Looks up the keys of requests that arrive in the same moment, or while the statement before is under way, in one
 * statement. It remembers nothing: the statement of each look-up begins after its request has come, so that it sees
 * every revocation that was answered before.
 */
@Injectable()
export class KeyLookUps {
  private readonly gatherings = new Batcher<Buffer, ReadonlyMap<string, FoundKey>>((_, hashes) =>
    this.keys.findByHashes(new Map(hashes.map((hash) => [nameOf(hash), hash]))),
  );

  constructor(private readonly keys: ApiKeysRepository) {}

  /** The active key with this hash, of whichever organization. */
  async find(hash: Buffer): Promise<FoundKey | undefined> {
    return (await this.gatherings.add('', hash)).result.get(nameOf(hash));
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString('latin1');
}
