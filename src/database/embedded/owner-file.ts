import { readFile, rename, rm, writeFile } from 'node:fs/promises';

import { isRunning, ownIdentity, parseIdentity, type ProcessIdentity } from './process-identity.js';

/** Names the Node process whose `stop()` stops the database. */
export class OwnerFile {
  constructor(private readonly path: string) {}

  /** Finds the owner if it still lives. */
  async findLiving(): Promise<ProcessIdentity | null> {
    const owner = await this.read();
    return owner && (await isRunning(owner)) ? owner : null;
  }

  /** Makes this process the owner. */
  async claim(): Promise<void> {
    const draft = `${this.path}.${process.pid}`;
    await writeFile(draft, JSON.stringify(await ownIdentity()), { mode: 0o600 });
    await rename(draft, this.path);
  }

  /** Gives ownership up, unless another process has taken it meanwhile. */
  async release(): Promise<void> {
    const [owner, self] = await Promise.all([this.read(), ownIdentity()]);
    if (owner?.pid === self.pid && owner.startedAt === self.startedAt) {
      await rm(this.path, { force: true });
    }
  }

  private async read(): Promise<ProcessIdentity | null> {
    try {
      return parseIdentity(JSON.parse(await readFile(this.path, 'utf8')) as unknown);
    } catch {
      // Missing or torn: then nobody owns the database, and the next start may take it over.
      return null;
    }
  }
}
