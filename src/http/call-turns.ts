import { Injectable } from '@nestjs/common';
import { LoopTurns, type TurnOwner } from './loop-turns.js';

/** The largest number of calls that start in one turn of the event loop. */
const MOST_AT_ONCE = 16;
/**
 * The bytes of bodies after which no further body is hashed and parsed in the same turn of the event loop. The same
 * number of bytes of downloads may be converted in a turn.
 */
const BODY_BYTES_AT_ONCE = 256 * 1024;
/**
 * The largest body, in bytes, that takes turns with small bodies only. Behind larger bodies, an organization would have
 * one small body in each turn of the event loop.
 */
const MOST_SMALL_BODY_BYTES = 16 * 1024;
/**
 * The largest body, in bytes, that holds no slot of memory. Larger bodies are few, because each holds such a slot. Behind
 * smaller bodies, they would hold these slots for seconds.
 */
const MOST_BODY_BYTES = 1024 * 1024;
/**
 * The bytes of bodies that may wait for their turn together. One organization may use a quarter of them, and one network
 * of unverified senders a sixteenth.
 */
const MOST_WAITING_BYTES = 256 * 1024 * 1024;
/** The bytes that a body counts at least. The work with a body takes time however small the body is. */
const FEWEST_BYTES_COUNTED = 4 * 1024;

/**
 * Lets organizations take turns with the start of their calls. Otherwise a process would serve calls in the order of
 * their arrival. A call would then wait for thousands of calls that another organization sent at the same moment. A few
 * calls start in each turn of the event loop. Only the start of a call needs a turn, so a running call that waits for
 * other systems delays no other call. `ConnectionShares` limits how many database connections the running calls of one
 * organization use. At this limit, further statements of the organization wait for a connection.
 *
 * A body needs another turn after its last byte, before it is hashed and parsed. Otherwise a sender could let hundreds
 * of bodies wait for their last bytes, send these bytes together, and stop the process for seconds. The parts of CSV
 * downloads take turns too.
 */
@Injectable()
export class CallTurns {
  private readonly calls = new LoopTurns(MOST_AT_ONCE);
  private readonly smallBodies = new LoopTurns(BODY_BYTES_AT_ONCE, MOST_WAITING_BYTES);
  private readonly bodies = new LoopTurns(BODY_BYTES_AT_ONCE, MOST_WAITING_BYTES);
  private readonly largeBodies = new LoopTurns(BODY_BYTES_AT_ONCE);
  private readonly parts = new LoopTurns(BODY_BYTES_AT_ONCE);

  /**
   * Records that the process has accepted a connection. Node.js accepts one connection in each turn of the event loop,
   * so turns are kept short while connections arrive. Otherwise a new connection would wait behind the connections that
   * another client opened.
   */
  noteConnection(): void {
    this.calls.shortenNext();
    this.smallBodies.shortenNext();
    this.bodies.shortenNext();
    this.parts.shortenNext();
  }

  /**
   * Requests the start of a call. Returns undefined if the call may start now, or else a promise that resolves when it
   * may.
   */
  take(organizationId: string): Promise<void> | undefined {
    return this.calls.take({ organizationId }, 1);
  }

  /**
   * Requests the start of a call whose credential is not checked yet, as {@link take} does. Unchecked requests have
   * their own place in the turns. Otherwise a stranger could delay the calls of the organization.
   */
  takeUnverified(organizationId: string, network: string): Promise<void> | undefined {
    return this.calls.take({ organizationId, network }, 1);
  }

  /**
   * Requests the work with a body that has arrived, as {@link take} requests the start of a call. Call it immediately
   * before the body is hashed or parsed. A body that arrives alone starts immediately. Throws `unavailable` when too many
   * bodies wait already.
   */
  takeForBody(organizationId: string, bytes: number): Promise<void> | undefined {
    return this.takeBytes({ organizationId }, bytes);
  }

  /** Requests the work with a body whose signature is not checked yet, as {@link takeForBody} does. */
  takeForUnverifiedBody(
    organizationId: string,
    network: string,
    bytes: number,
  ): Promise<void> | undefined {
    return this.takeBytes({ organizationId, network }, bytes);
  }

  /**
   * Requests the work with the next part of a download, as {@link take} requests the start of a call. Call it immediately
   * before values of this size are converted to the part. A part waits only for other parts. The waiting parts have no
   * limit here, because the downloads of an organization are limited.
   */
  takeForPart(organizationId: string, bytes: number): Promise<void> | undefined {
    return this.parts.take({ organizationId }, Math.max(bytes, FEWEST_BYTES_COUNTED));
  }

  private takeBytes(owner: TurnOwner, bytes: number): Promise<void> | undefined {
    return this.turnsFor(bytes).take(owner, Math.max(bytes, FEWEST_BYTES_COUNTED));
  }

  private turnsFor(bytes: number): LoopTurns {
    if (bytes > MOST_BODY_BYTES) return this.largeBodies;
    return bytes > MOST_SMALL_BODY_BYTES ? this.bodies : this.smallBodies;
  }
}
