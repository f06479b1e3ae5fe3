import { ChangeFeed, type ChangeOrGap } from '../../src/changes/change-feed.js';
import type { Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const LAST = 'test://last/';
let counter = 0;

/** Records the changes of an organization that a process receives. */
export class ChangeRecorder {
  readonly changes: ChangeOrGap[] = [];
  private end: () => void = () => undefined;

  static async start(switchboard: Switchboard, organizationId: string): Promise<ChangeRecorder> {
    const recorder = new ChangeRecorder();
    const feed = switchboard.app.get(ChangeFeed);
    recorder.end = await feed.subscribe(organizationId, (change) => recorder.changes.push(change));
    return recorder;
  }

  /** Waits for a change, and removes this change and all earlier changes. */
  async waitFor(change: ChangeOrGap): Promise<void> {
    const text = JSON.stringify(change);
    const index = (): number => this.changes.findIndex((one) => JSON.stringify(one) === text);
    await waitFor(() => index() >= 0);
    this.changes.splice(0, index() + 1);
  }

  /** Waits until all changes that were published before this call have arrived. Removes and returns these changes. */
  async takeAll(publisher: Switchboard, organizationId: string): Promise<ChangeOrGap[]> {
    counter += 1;
    const uri = `${LAST}${counter}`;
    publisher.app.get(ChangeFeed).publish(organizationId, { kind: 'resource', uri });
    await waitFor(() => this.changes.some((one) => one.kind === 'resource' && one.uri === uri));
    const isOurs = (one: ChangeOrGap) => one.kind === 'resource' && one.uri.startsWith(LAST);
    return this.changes.splice(0).filter((one) => !isOurs(one));
  }

  close(): void {
    this.end();
  }
}
