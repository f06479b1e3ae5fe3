import { Injectable } from '@nestjs/common';
import { GateDatabase } from '../database/gate-database.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError, assertFound } from '../errors/app-error.js';
import { newId } from '../text/ids.js';
import { parseDomain } from './parse-domain.js';
import type { CheckResult, SenderDomain, SenderKey } from './sender-domain.entity.js';
import { SenderDomainsRepository } from './sender-domains.repository.js';
import { SenderKeysService } from './sender-keys.service.js';
import { checkOwnership, hasPublicKey, keyRecord, ownershipRecord } from './sender-records.js';
import { TextRecords } from './text-records.js';

const MOST_DOMAINS = 50;

/** A domain with its DKIM keys. */
export interface KeyedDomain {
  readonly domain: SenderDomain;
  readonly keys: readonly SenderKey[];
}

/** Manages the sender domains of organizations. */
@Injectable()
export class SenderDomainsService {
  constructor(
    private readonly domains: SenderDomainsRepository,
    private readonly keys: SenderKeysService,
    private readonly records: TextRecords,
    private readonly tenants: TenantDatabase,
    private readonly gate: GateDatabase,
  ) {}

  /** Returns the domains in the order of their names. */
  async list(organizationId: string): Promise<KeyedDomain[]> {
    return await this.tenants.transaction(
      organizationId,
      async () => {
        const domains = await this.domains.list(organizationId);
        const keys = await this.domains.listKeys(organizationId);
        return domains.map((domain) => ({
          domain,
          keys: keys.filter(({ domainId }) => domainId === domain.id),
        }));
      },
      { readOnly: true },
    );
  }

  /** Returns a domain with its keys. Throws `not_found`. */
  async get(organizationId: string, id: string): Promise<KeyedDomain> {
    return await this.tenants.transaction(
      organizationId,
      async () => ({
        domain: assertFound(await this.domains.find(organizationId, id), 'sender domain'),
        keys: await this.domains.listKeys(organizationId, id),
      }),
      { readOnly: true },
    );
  }

  /**
   * Adds a domain with its first key. A domain that exists already stays unchanged. Throws `invalid_arguments`,
   * `conflict`, `rate_limited` and `unavailable`.
   */
  async add(organizationId: string, text: string, createdBy: string | null): Promise<KeyedDomain> {
    const parsed = parseDomain(text);
    if ('fault' in parsed) throw AppError.invalidField('domain', parsed.fault);
    const domain = parsed.value;
    const known = await this.tenants.transaction(
      organizationId,
      () => this.findOrAssertSpace(organizationId, domain),
      { readOnly: true },
    );
    if (known) return known;
    const key = await this.keys.generate(organizationId);
    return await this.tenants.transaction(organizationId, async () => {
      await this.tenants.lockOrganization(organizationId);
      // Another call may have added a domain while the key was made.
      const added = await this.findOrAssertSpace(organizationId, domain);
      if (added) return added;
      const id = newId('snd');
      await this.domains.add(organizationId, { id, domain, createdBy });
      await this.keys.store(organizationId, id, key);
      return await this.get(organizationId, id);
    });
  }

  /**
   * Looks up the records of a domain and stores the results. If the record of the next key was found, this key becomes
   * the current key, unless another call has replaced it. The caller needs no transaction. Throws `not_found`.
   */
  async verify(organizationId: string, id: string, signal?: AbortSignal): Promise<KeyedDomain> {
    const { domain, keys } = await this.get(organizationId, id);
    const checked = keys.filter(({ state }) => state !== 'previous');
    const { name } = ownershipRecord(domain.domain, domain.token);
    const [owner, ...found] = await Promise.all([
      this.records.find(name, signal),
      ...checked.map(({ selector, publicKey }) =>
        this.records.find(keyRecord(domain.domain, selector, publicKey).name, signal),
      ),
    ]);
    const result: CheckResult = checkOwnership(owner, domain.token);
    await this.gate.call('record_sender_check', [
      organizationId,
      id,
      domain.domain,
      domain.token,
      result,
    ]);
    await this.tenants.transaction(organizationId, async () => {
      await this.tenants.lockOrganization(organizationId);
      for (const [index, { selector, publicKey, state }] of checked.entries()) {
        const texts = found[index];
        if (!texts) continue;
        const isFound = hasPublicKey(texts, publicKey);
        if (state === 'current') await this.domains.setFound(organizationId, selector, isFound);
        else if (isFound) await this.domains.activateNext(organizationId, id, selector);
      }
    });
    return await this.get(organizationId, id);
  }

  /**
   * Makes the next key of a domain, unless there is one already. Throws `not_found`, `rate_limited` and
   * `unavailable`.
   */
  async rotateKey(organizationId: string, id: string): Promise<KeyedDomain> {
    const found = await this.get(organizationId, id);
    if (hasNextKey(found)) return found;
    const key = await this.keys.generate(organizationId);
    return await this.tenants.transaction(organizationId, async () => {
      await this.tenants.lockOrganization(organizationId);
      // Another call may have stored the next key while this call made a key.
      if (!hasNextKey(await this.get(organizationId, id))) {
        await this.keys.store(organizationId, id, key);
      }
      return await this.get(organizationId, id);
    });
  }

  /** Removes a domain with its keys. Throws `not_found`. */
  async remove(organizationId: string, id: string): Promise<void> {
    const isRemoved = await this.tenants.transaction(organizationId, () =>
      this.domains.delete(organizationId, id),
    );
    if (!isRemoved) throw AppError.notFound('sender domain');
  }

  /**
   * Returns the domain if the organization has it. Otherwise returns undefined, or throws `conflict` when the
   * organization has too many domains.
   */
  private async findOrAssertSpace(
    organizationId: string,
    domain: string,
  ): Promise<KeyedDomain | undefined> {
    const rows = await this.domains.list(organizationId);
    const known = rows.find((row) => row.domain === domain);
    if (known) return await this.get(organizationId, known.id);
    if (rows.length < MOST_DOMAINS) return undefined;
    throw new AppError(
      'conflict',
      `An organization has at most ${MOST_DOMAINS} sender domains. Remove one first.`,
    );
  }
}

function hasNextKey({ keys }: KeyedDomain): boolean {
  return keys.some(({ state }) => state === 'next');
}
