import { SharedCommits } from './shared-commits.js';
import { SharedReads } from './shared-reads.js';
import type { TenantConnections } from './tenant-connections.js';

/**
 * Holds the two objects that join the reads and the commits of transactions that arrive at the same moment
 * (docs/adr/0055-calls-that-share-commits.md).
 */
export class Sharing {
  readonly reads: SharedReads;
  readonly commits: SharedCommits;

  constructor(connections: TenantConnections) {
    this.reads = new SharedReads(connections);
    this.commits = new SharedCommits(connections);
  }
}
