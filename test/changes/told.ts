import { ChangeFeed, type ChangeOrGap } from '../../src/changes/change-feed.js';
import type { Switchboard } from '../support/switchboard.js';
import { waitFor } from '../support/wait-for.js';

const SETTLED = 'test://settled/';
let counter = 0;

/** What a process is told of an organization from now on. */
export class Told {
  readonly notices: ChangeOrGap[] = [];
  private end: () => void = () => undefined;

  static async of(switchboard: Switchboard, organizationId: string): Promise<Told> {
    const told = new Told();
    const feed = switchboard.app.get(ChangeFeed);
    told.end = await feed.subscribe(organizationId, (notice) => told.notices.push(notice));
    return told;
  }

  /** Waits until the notice has come, and forgets all that came until then. */
  async until(notice: ChangeOrGap): Promise<void> {
    const text = JSON.stringify(notice);
    const index = (): number => this.notices.findIndex((one) => JSON.stringify(one) === text);
    await waitFor(() => index() >= 0);
    this.notices.splice(0, index() + 1);
  }

  /** Waits until everything has come that was published before, and forgets it. */
  async settle(publisher: Switchboard, organizationId: string): Promise<ChangeOrGap[]> {
    counter += 1;
    const uri = `${SETTLED}${counter}`;
    publisher.app.get(ChangeFeed).publish(organizationId, { kind: 'resource', uri });
    await waitFor(() => this.notices.some((one) => one.kind === 'resource' && one.uri === uri));
    const isOurs = (one: ChangeOrGap) => one.kind === 'resource' && one.uri.startsWith(SETTLED);
    return this.notices.splice(0).filter((one) => !isOurs(one));
  }

  close(): void {
    this.end();
  }
}
