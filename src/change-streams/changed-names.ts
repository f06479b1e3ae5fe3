import type { ChangeOrGap } from '../changes/change-feed.js';

/** The name of a changed resource, for example `{kind: 'runs', id: 'run_…'}`. Lists such as the tools have no id. */
export interface ChangedName {
  readonly kind: string;
  readonly id?: string;
}

const MAX_NAMES = 1000;
const RESOURCE = /^switchboard:\/\/([a-z]+)\/([^/]+)$/;
const DELIVERIES = /^switchboard:\/\/workflows\/([^/]+)\/deliveries$/;

/**
 * Collects the names of changed resources, each name once. After more than 1,000 names, it drops all names, and `take`
 * returns `gap`. So a client that reads slowly costs a limited amount of memory.
 */
export class ChangedNames {
  private names = new Map<string, ChangedName>();
  private isGap = false;

  get isEmpty(): boolean {
    return !this.isGap && this.names.size === 0;
  }

  add(change: ChangeOrGap): void {
    if (this.isGap) return;
    const name = change.kind === 'gap' ? 'gap' : nameOf(change);
    if (name === undefined) return;
    if (name === 'gap' || this.names.size >= MAX_NAMES) {
      this.names.clear();
      this.isGap = true;
      return;
    }
    this.names.set(`${name.kind} ${name.id}`, name);
  }

  /** Removes and returns the names, or `gap` when everything may have changed. */
  take(): readonly ChangedName[] | 'gap' {
    const taken = this.isGap ? 'gap' : [...this.names.values()];
    this.names.clear();
    this.isGap = false;
    return taken;
  }
}

/**
 * Returns the name of a change. Returns undefined for changes that no page of the dashboard shows: resources of other
 * URI schemes, and sessions.
 */
function nameOf(change: Exclude<ChangeOrGap, { kind: 'gap' }>): ChangedName | undefined {
  if (change.kind === 'sessions') return undefined;
  if (change.kind !== 'resource') return { kind: change.kind };
  const deliveries = DELIVERIES.exec(change.uri);
  if (deliveries) return { kind: 'deliveries', id: deliveries[1]! };
  const resource = RESOURCE.exec(change.uri);
  return resource ? { kind: resource[1]!, id: resource[2]! } : undefined;
}
