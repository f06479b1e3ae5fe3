import { Choice, Flag, ListOf, Nested, Text, Timestamp } from '../tools/schema/fields.js';
import {
  CHECK_RESULTS,
  type CheckResult,
  KEY_STATES,
  type KeyState,
  type SenderDomain,
} from './sender-domain.entity.js';
import { GRACE_HOURS } from './sender-domains.repository.js';
import type { KeyedDomain } from './sender-domains.service.js';
import { keyRecord, ownershipRecord } from './sender-records.js';

/** The states of a domain. E-mails can be sent from `verified` and `failing` domains. */
export const DOMAIN_STATES = ['unverified', 'verified', 'failing', 'lost'] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

export class SenderKeyView {
  @Text()
  selector: string;

  @Choice(
    KEY_STATES,
    'current: signs e-mails; next: waits until its record is found; previous: its record must stay for a week.',
  )
  state: KeyState;

  @Flag('Whether the last look-up that was answered found the record.')
  is_found: boolean;

  @Text('Name of the TXT record.')
  record_name: string;

  @Text('Value of the TXT record.')
  record_value: string;

  @Timestamp()
  created_at: string;

  @Text('Time when the next key replaced this key: RFC 3339, UTC.', { nullable: true })
  retired_at: string | null;
}

/** A domain with the records to publish. Private keys are never shown. */
export class SenderDomainView {
  @Text()
  id: string;

  @Text()
  domain: string;

  @Choice(
    DOMAIN_STATES,
    'E-mails can be sent from a verified or failing domain. failing: the record has been gone for less than ' +
      `${GRACE_HOURS} hours.`,
  )
  state: DomainState;

  @Choice(CHECK_RESULTS, 'What the last look-up found.', { nullable: true })
  result: CheckResult | null;

  @Text('Name of the TXT record that proves the ownership.')
  record_name: string;

  @Text('Value of that record.')
  record_value: string;

  @ListOf(() => SenderKeyView, 'DKIM keys, newest first.')
  keys: SenderKeyView[];

  @Timestamp()
  created_at: string;

  @Text({ nullable: true })
  verified_at: string | null;

  @Text('Time of the last look-up.', { nullable: true })
  checked_at: string | null;

  static of({ domain, keys }: KeyedDomain): SenderDomainView {
    const record = ownershipRecord(domain.domain, domain.token);
    return {
      id: domain.id,
      domain: domain.domain,
      state: stateOf(domain),
      result: domain.result,
      record_name: record.name,
      record_value: record.value,
      keys: keys.map((key) => {
        const { name, value } = keyRecord(domain.domain, key.selector, key.publicKey);
        return {
          selector: key.selector,
          state: key.state,
          is_found: key.isFound,
          record_name: name,
          record_value: value,
          created_at: key.createdAt.toISOString(),
          retired_at: key.retiredAt?.toISOString() ?? null,
        };
      }),
      created_at: domain.createdAt.toISOString(),
      verified_at: domain.verifiedAt?.toISOString() ?? null,
      checked_at: domain.checkedAt?.toISOString() ?? null,
    };
  }
}

export class SenderDomainResult {
  @Nested(() => SenderDomainView)
  domain: SenderDomainView;
}

export class SenderDomainList {
  @ListOf(() => SenderDomainView)
  domains: SenderDomainView[];
}

export class RemovedSenderDomain {
  @Text('Id of the domain.')
  removed: string;
}

function stateOf({ verifiedAt, missingSince }: SenderDomain): DomainState {
  if (!verifiedAt) return 'unverified';
  if (!missingSince) return 'verified';
  return missingSince.getTime() > Date.now() - GRACE_HOURS * 3_600_000 ? 'failing' : 'lost';
}
