import type { QueryClient } from '@tanstack/react-query';
import { SESSION_KEY } from '../session.ts';
import { isAffected } from './affected-queries.ts';
import type { Change } from './change.ts';

/**
 * The shortest time between two readings of the data, in milliseconds. In a busy organization, data change all the
 * time.
 */
const PAUSE_MS = 1000;

/**
 * Reads the data of the page again when changes affect these data. The first reading begins immediately, and the next
 * reading when the answers have arrived. So a change never cancels the requests that an earlier change caused. A hidden
 * tab reads its data again when it becomes visible.
 */
export class Refresher {
  private waiting: Change[] = [];
  private isAll = false;
  private isBusy = false;

  constructor(private readonly client: QueryClient) {}

  add(changes: readonly Change[]): void {
    this.waiting.push(...changes);
    if (!this.isBusy) void this.work();
  }

  addAll(): void {
    this.isAll = true;
    if (!this.isBusy) void this.work();
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    while (this.isAll || this.waiting.length > 0) {
      const changes = this.waiting;
      const isAll = this.isAll;
      this.waiting = [];
      this.isAll = false;
      const refreshed = this.client.invalidateQueries({
        predicate: ({ queryKey }) =>
          isAll ? queryKey[0] !== SESSION_KEY[0] : isAffected(queryKey, changes),
        refetchType: document.visibilityState === 'hidden' ? 'none' : 'active',
      });
      await Promise.all([refreshed, new Promise((resolve) => setTimeout(resolve, PAUSE_MS))]);
    }
    this.isBusy = false;
  }
}
