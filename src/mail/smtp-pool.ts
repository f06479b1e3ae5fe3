import type { Readable } from 'node:stream';
import { OrganizationCounts } from '../turns/organization-counts.js';
import { OrganizationQueue } from '../turns/organization-queue.js';
import { type SmtpEnvelope, type SmtpError, type SmtpResult, SmtpSession } from './smtp-session.js';
import type { SmtpSettings } from './smtp-settings.js';

/**
 * The largest number of messages that wait for a connection. Each message uses memory. A worker has at most 4,500 slots
 * for messages.
 */
const MOST_WAITING = 5000;
/** The share of the slots that only organizations without a slot may take. */
const RESERVED_SHARE = 0.3;

interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Keeps connections to one mail server open for the next message, at most `maxConnections` of them. The last 30 % of
 * the connections, and at least one, are for organizations without a connection. So one organization with slow messages
 * gets at most 7 of 10 connections.
 */
export class SmtpPool {
  /**
   * The idle sessions. The session that was used last is at the end and is taken first. So connections that are not
   * needed stay idle and are closed.
   */
  private readonly idle: { session: SmtpSession; timer: NodeJS.Timeout }[] = [];
  /** The messages without a slot. Their organizations take turns. */
  private readonly waiting = new OrganizationQueue<Waiting>();
  private waitingCount = 0;
  /**
   * The number of free slots. Each message in progress has a slot. There are never more open connections than slots.
   */
  private freeSlots: number;
  private readonly takenSlots = new OrganizationCounts();
  /** The number of slots that only organizations without a slot may take. */
  private readonly reservedSlots: number;
  private isClosed = false;

  constructor(private readonly settings: SmtpSettings) {
    this.freeSlots = settings.maxConnections;
    this.reservedSlots = Math.max(1, Math.floor(settings.maxConnections * RESERVED_SHARE));
  }

  /**
   * Sends a message and never rejects. `compose` is called when a connection is open. It returns the content, or the
   * reason why this server cannot get the message.
   */
  async send(
    organizationId: string,
    envelope: SmtpEnvelope,
    compose: (session: SmtpSession) => Readable | SmtpError,
    signal: AbortSignal,
  ): Promise<SmtpResult> {
    try {
      await this.takeSlot(organizationId, signal);
    } catch (error) {
      return { isSent: false, error: error as SmtpError, mayHaveArrived: false };
    }
    let session;
    try {
      session = this.takeIdle() ?? (await SmtpSession.open(this.settings, signal));
    } catch (error) {
      this.freeSlot(organizationId);
      return { isSent: false, error: error as SmtpError, mayHaveArrived: false };
    }
    const content = compose(session);
    if (!('pipe' in content)) {
      this.keep(session, organizationId);
      return { isSent: false, error: content, mayHaveArrived: false };
    }
    const result = await session.send(envelope, content, signal);
    // The result is returned before the connection has recovered from a refusal, so that the caller can record it
    // meanwhile.
    if (result.isSent) this.keep(session, organizationId);
    else void session.recover().then(() => this.keep(session, organizationId));
    return result;
  }

  /** Closes unused connections immediately, and all other connections after their message. Waiting messages fail. */
  close(): void {
    this.isClosed = true;
    for (const { session, timer } of this.idle.splice(0)) {
      clearTimeout(timer);
      session.close();
    }
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      next[1].reject(poolError('ECLOSED', 'The mail pool was closed.'));
    }
  }

  private async takeSlot(organizationId: string, signal: AbortSignal): Promise<void> {
    if (this.isClosed || signal.aborted) throw poolError('ECLOSED', 'The mail pool was closed.');
    if (this.mayTakeSlot(organizationId)) return this.countSlot(organizationId, 1);
    if (this.waitingCount >= MOST_WAITING) {
      throw poolError('EBUSY', `${MOST_WAITING} e-mails are already waiting for a connection.`);
    }
    let stop = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = { resolve, reject };
        stop = () => {
          if (!this.waiting.remove(organizationId, waiting)) return;
          reject(poolError('EABORT', 'The attempt was aborted.'));
        };
        this.waiting.push(organizationId, waiting);
        this.waitingCount += 1;
        signal.addEventListener('abort', stop, { once: true });
      });
    } finally {
      this.waitingCount -= 1;
      signal.removeEventListener('abort', stop);
    }
  }

  private mayTakeSlot(organizationId: string): boolean {
    return this.freeSlots > (this.takenSlots.of(organizationId) === 0 ? 0 : this.reservedSlots);
  }

  private countSlot(organizationId: string, taken: 1 | -1): void {
    this.freeSlots -= taken;
    this.takenSlots.add(organizationId, taken);
  }

  private freeSlot(organizationId: string): void {
    this.countSlot(organizationId, -1);
    const shift = () => this.waiting.shift((waitingId) => this.mayTakeSlot(waitingId));
    for (let next = shift(); next; next = shift()) {
      this.countSlot(next[0], 1);
      next[1].resolve();
    }
  }

  private takeIdle(): SmtpSession | undefined {
    for (let kept = this.idle.pop(); kept; kept = this.idle.pop()) {
      clearTimeout(kept.timer);
      if (kept.session.isUsable) return kept.session;
    }
    return undefined;
  }

  /** Frees the slot of the session. Keeps the session for the next message if it can be used again, else closes it. */
  private keep(session: SmtpSession, organizationId: string): void {
    if (this.isClosed || !session.isUsable) {
      session.close();
    } else {
      const timer = setTimeout(() => {
        const index = this.idle.findIndex((kept) => kept.session === session);
        if (index >= 0) this.idle.splice(index, 1);
        session.quit();
      }, this.settings.idleTimeoutMs);
      timer.unref();
      this.idle.push({ session, timer });
    }
    this.freeSlot(organizationId);
  }
}

function poolError(code: string, message: string): SmtpError & Error {
  return Object.assign(new Error(message), { code });
}
