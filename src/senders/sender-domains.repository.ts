import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { prepared } from '../database/driver/statement.js';
import { ArgumentSigner } from '../database/transactions/argument-signer.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { SenderDomain, SenderKey } from './sender-domain.entity.js';

/** The hours that an owner has to restore a missing record. Until then, the domain counts as verified. */
export const GRACE_HOURS = 72;

/** The domain from which the organization may send, with its key. */
export interface VerifiedSender {
  readonly domain: string;
  /** The selector of the key. Null when no record of a key was found. */
  readonly selector: string | null;
  readonly sealed: Buffer | null;
}

const FIND_VERIFIED = prepared(
  'verified_sender',
  `select d.domain, k.selector, k.sealed from sender_domains d
   left join sender_keys k on k.organization_id = d.organization_id and k.domain_id = d.id
     and k.state = 'current' and k.is_found
   where d.organization_id = $1 and d.domain = $2 and d.verified_at is not null
     and (d.missing_since is null or d.missing_since > now() - make_interval(hours => ${GRACE_HOURS}))`,
);

/** $2 is the signature of $1, which SQL of a tool cannot make. */
const ADD = prepared('sender_domain_add', 'select add_sender_domain($1, $2)');

/** Stores sender domains and their keys. Every method needs a transaction of the organization. */
@Injectable()
export class SenderDomainsRepository {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly signer: ArgumentSigner,
  ) {}

  list(organizationId: string): Promise<SenderDomain[]> {
    return this.domains(organizationId).find({
      where: { organizationId },
      order: { domain: 'ASC' },
    });
  }

  find(organizationId: string, id: string): Promise<SenderDomain | null> {
    return this.domains(organizationId).findOneBy({ organizationId, id });
  }

  /** Returns the sender if the organization may send from addresses of the domain. */
  async findVerified(organizationId: string, domain: string): Promise<VerifiedSender | undefined> {
    const session = this.tenants.session(organizationId);
    const [found] = await session.query<VerifiedSender>(FIND_VERIFIED, [organizationId, domain]);
    return found;
  }

  /** Adds a domain. PostgreSQL makes its token. */
  async add(
    organizationId: string,
    { id, domain, createdBy }: Pick<SenderDomain, 'id' | 'domain' | 'createdBy'>,
  ): Promise<void> {
    const command = JSON.stringify({
      organization_id: organizationId,
      id,
      domain,
      created_by: createdBy,
    });
    const signature = this.signer.sign('sender domain', command);
    await this.tenants.session(organizationId).query(ADD, [command, signature]);
  }

  /** Deletes the domain with its keys. Returns false when there is no such domain. */
  async delete(organizationId: string, id: string): Promise<boolean> {
    const { affected } = await this.domains(organizationId).delete({ organizationId, id });
    return affected === 1;
  }

  /** Returns the keys of one domain or of all domains. */
  listKeys(organizationId: string, domainId?: string): Promise<SenderKey[]> {
    return this.keys(organizationId).find({
      where: { organizationId, ...(domainId !== undefined && { domainId }) },
      order: { createdAt: 'DESC', selector: 'ASC' },
    });
  }

  async insertKey(
    organizationId: string,
    key: Pick<SenderKey, 'selector' | 'domainId' | 'publicKey'> & { sealed: Buffer },
  ): Promise<void> {
    await this.tenants.session(organizationId).query(
      `insert into sender_keys (organization_id, selector, domain_id, public_key, sealed)
       values ($1, $2, $3, $4, $5)`,
      [organizationId, key.selector, key.domainId, key.publicKey, key.sealed],
    );
  }

  async setFound(organizationId: string, selector: string, isFound: boolean): Promise<void> {
    await this.keys(organizationId).update({ organizationId, selector }, { isFound });
  }

  /**
   * Makes this key the current key if it is still the next key of the domain. The current key becomes the previous key,
   * and can no longer sign.
   */
  async activateNext(organizationId: string, domainId: string, selector: string): Promise<void> {
    const keys = this.keys(organizationId);
    // Another verification can have activated this key, and another rotation can have made a new next key. Without the
    // selector, that key would sign although its record was not looked up.
    const next = { organizationId, domainId, selector, state: 'next' as const };
    if (!(await keys.existsBy(next))) return;
    await keys.delete({ organizationId, domainId, state: 'previous' });
    await keys.update(
      { organizationId, domainId, state: 'current' },
      { state: 'previous', sealed: null, retiredAt: () => 'now()' },
    );
    await keys.update(next, { state: 'current', isFound: true });
  }

  private domains(organizationId: string): Repository<SenderDomain> {
    return this.tenants.repository(organizationId, SenderDomain);
  }

  private keys(organizationId: string): Repository<SenderKey> {
    return this.tenants.repository(organizationId, SenderKey);
  }
}
