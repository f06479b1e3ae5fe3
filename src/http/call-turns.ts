import { Injectable } from '@nestjs/common';
import { OrganizationQueue } from '../turns/organization-queue.js';

/** The largest number of calls that start in one turn of the event loop. */
const MOST_AT_ONCE = 16;

/**
 * Lets organizations take turns with the start of their calls. Otherwise a process would serve calls in the order of
 * their arrival. A call would then wait for thousands of calls that another organization sent at the same moment. A few
 * calls start in each turn of the event loop. Only the start of a call needs a turn, so a running call that waits for
 * other systems delays no other call. `ConnectionShares` limits how many database connections the running calls of one
 * organization use. At this limit, further statements of the organization wait for a connection.
 */
@Injectable()
export class CallTurns {
  private started = 0;
  private isScheduled = false;
  private hasAccepted = false;
  private readonly waiting = new OrganizationQueue<() => void>();

  /**
   * Records that the process has accepted a connection. Node.js accepts one connection in each turn of the event loop,
   * so turns are kept short while connections arrive. Otherwise a new connection would wait behind the connections that
   * another client opened.
   */
  noteConnection(): void {
    this.hasAccepted = true;
  }

  /**
   * Requests the start of a call. Returns undefined if the call may start now, or else a promise that resolves when it
   * may.
   */
  take(organizationId: string): Promise<void> | undefined {
    if (!this.isScheduled) {
      this.started = 0;
      this.schedule();
    }
    if (this.started < MOST_AT_ONCE && this.waiting.isEmpty) {
      this.started += 1;
      return undefined;
    }
    return new Promise((resolve) => this.waiting.push(organizationId, resolve));
  }

  /**
   * Requests the start of a call whose credential is not checked yet, as {@link take} does. Unchecked requests have
   * their own place in the turns. Otherwise a stranger could delay the calls of the organization.
   */
  takeUnverified(organizationId: string): Promise<void> | undefined {
    return this.take(`unverified ${organizationId}`);
  }

  private schedule(): void {
    this.isScheduled = true;
    setImmediate(() => this.startNext());
  }

  private startNext(): void {
    this.isScheduled = false;
    const most = this.hasAccepted ? 1 : MOST_AT_ONCE;
    this.hasAccepted = false;
    for (this.started = 0; this.started < most; this.started += 1) {
      const next = this.waiting.shift();
      if (!next) return;
      const [, start] = next;
      start();
    }
    this.schedule();
  }
}
