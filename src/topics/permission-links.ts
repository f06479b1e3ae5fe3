import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Env } from '../config/env.js';
import { SecretBox } from '../database/secret-box.js';

/** The action that a link allows: leave a topic, change all subscriptions, or confirm a subscription. */
export type LinkKind = 'unsubscribe' | 'preferences' | 'confirm';

/** The content of a link. It contains no address. */
export interface LinkTarget {
  organizationId: string;
  contactId: string;
  messageId: string;
  /** The topic. Empty in links to the preferences. */
  topic: string;
}

export const LINK_PATHS: Readonly<Record<LinkKind, string>> = {
  unsubscribe: 'u',
  preferences: 'preferences',
  confirm: 'confirm',
};
const TOKEN =
  /^(org_[0-9A-Za-z]{1,40})\.(con_[0-9A-Za-z]{1,40})\.(msg_[0-9A-Za-z]{1,40})\.([a-z0-9_-]{0,64})\.([\w-]{43})$/;

/**
 * Makes and checks the links in messages by which people decide which messages they get. A link is signed and never
 * expires, because people use the links of old messages too. A forged link is refused without a query.
 */
@Injectable()
export class PermissionLinks {
  /**
   * The keys of signatures. The first key signs. While SECRET_KEY is replaced, links that were signed with the other
   * key stay valid.
   */
  private readonly keys: readonly [string, ...string[]];

  constructor(
    private readonly env: Env,
    secrets: SecretBox,
  ) {
    this.keys = secrets.deriveAll('permission links');
  }

  urlOf(kind: LinkKind, target: LinkTarget): string {
    return `${this.env.baseUrl}/${LINK_PATHS[kind]}/${this.tokenOf(kind, target)}`;
  }

  tokenOf(kind: LinkKind, target: LinkTarget): string {
    const { organizationId, contactId, messageId, topic } = target;
    const signature = sign(kind, target, this.keys[0]);
    return `${organizationId}.${contactId}.${messageId}.${topic}.${signature}`;
  }

  /** Returns the target of a token, or undefined when the token is malformed, forged or of another kind. */
  read(kind: LinkKind, token: string): LinkTarget | undefined {
    const [, organizationId, contactId, messageId, topic, given] = TOKEN.exec(token) ?? [];
    if (!organizationId || !contactId || !messageId || topic === undefined || !given) {
      return undefined;
    }
    const target = { organizationId, contactId, messageId, topic };
    // timingSafeEqual throws for different lengths. Both texts have 43 characters of ASCII.
    const isOurs = this.keys.some((key) =>
      timingSafeEqual(Buffer.from(given), Buffer.from(sign(kind, target, key))),
    );
    return isOurs ? target : undefined;
  }
}

function sign(
  kind: LinkKind,
  { organizationId, contactId, messageId, topic }: LinkTarget,
  key: string,
): string {
  // The signed text is JSON, because joined texts could be split in another way and still have the same signature.
  const text = JSON.stringify([kind, organizationId, contactId, messageId, topic]);
  return createHmac('sha256', key).update(text).digest('base64url');
}
