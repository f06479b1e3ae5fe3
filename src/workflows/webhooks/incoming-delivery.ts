import type { IncomingHttpHeaders } from 'node:http';
import type { TakeTurn } from '../../http/body-chunks.js';
import { TRUSTED_MS } from '../../http/request-access.js';
import type { DeliveryRecord } from './delivery-record.js';
import type { SignedRequest } from './signatures/signed-request.js';
import type { Webhook } from './webhook.js';

/** A request to the address of a webhook. */
export interface WebhookRequest {
  method: 'GET' | 'POST';
  headers: IncomingHttpHeaders;
  /** The address with the query, as the sender uses it. */
  url: string;
  /** Returns the network of the sender. Limits for strangers count by network. */
  network: () => string;
  /** True for a body of more than 1 MiB. */
  isLarge: boolean;
  /** Reserves memory for a large body until `release`. Throws `unavailable` when no slot is free. */
  reserve: (organizationId: string) => void;
  /** Forgets a large body, and releases its memory. Call this only when nothing else keeps the body. */
  release: () => void;
  /**
   * Reads the bytes of the body, and waits for `takeTurn` after the last byte. Returns no bytes for GET. Throws when the
   * body is too large. Throws the errors of `reserve`.
   */
  readBody: (organizationId: string, takeTurn: TakeTurn) => Promise<Buffer>;
  /** Returns a signal that aborts when the sender disconnects. */
  gone: () => AbortSignal;
}

export type CountedLimit = 'webhook' | 'organization';

/** A request with its body. It is checked again when the check with the cached webhook fails. */
export class IncomingDelivery {
  readonly record: Pick<
    DeliveryRecord,
    'headers' | 'url' | 'receivedAt' | 'verified' | 'body' | 'digest'
  >;
  /** The rate limits that have counted this request. */
  readonly counted = new Set<CountedLimit>();
  /** The time of `performance.now()` after the last byte of the body. Absent before. */
  private arrivedAt?: number;
  private signed?: SignedRequest;

  constructor(readonly request: WebhookRequest) {
    const { headers, url } = request;
    this.record = { headers, url, receivedAt: new Date(), verified: false };
  }

  /** Returns the body after a turn for the work with it. Reads the body when it was not read yet. */
  async readBody(organizationId: string, takeTurn: TakeTurn): Promise<Buffer> {
    const { body: known } = this.record;
    if (known) {
      await takeTurn(known.length);
      return known;
    }
    const body = await this.request.readBody(organizationId, takeTurn);
    this.arrivedAt = performance.now();
    this.record.body = body;
    return body;
  }

  /**
   * Returns the parts of the request that its sender may have signed. Returns the same object each time, so that signed
   * contents are computed once.
   */
  signedRequest(body: Buffer): SignedRequest {
    const { headers, url } = this.request;
    return (this.signed ??= { body, headers, url });
  }

  /**
   * Returns true when the body arrived so long after this look-up that the secrets of the webhook may have changed.
   * Returns false for the next look-up, however long the checks take.
   */
  isNewerThan({ lookedUpAt }: Webhook): boolean {
    return this.arrivedAt !== undefined && this.arrivedAt - lookedUpAt > TRUSTED_MS;
  }

  /** Forgets the body. Call this only after its run is stored. */
  releaseBody(): void {
    delete this.record.body;
    delete this.signed;
    this.request.release();
  }
}
