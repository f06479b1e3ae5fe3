import { Injectable } from '@nestjs/common';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import { domainOf } from './parse-domain.js';
import { SenderDomainsRepository } from './sender-domains.repository.js';
import { SenderKeysService, type SigningKey } from './sender-keys.service.js';

/** Decides whether an organization may send e-mails from an address. */
@Injectable()
export class SendersService {
  constructor(
    private readonly domains: SenderDomainsRepository,
    private readonly keys: SenderKeysService,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Throws `invalid_arguments` when the organization has not verified the domain of the address. */
  async assertAllowed(organizationId: string, path: string, address: string): Promise<void> {
    if (await this.find(organizationId, address)) return;
    throw AppError.invalidField(
      path,
      `must be an address of a verified domain. A person verifies ${domainOf(address)} in Settings, Sender domains`,
    );
  }

  /**
   * Returns the key that signs an e-mail from the address, or null when no record of a key was found. Returns undefined
   * when the organization may not send from the address.
   */
  async find(
    organizationId: string,
    address: string,
  ): Promise<{ readonly key: SigningKey | null } | undefined> {
    const sender = await this.tenants.transaction(
      organizationId,
      () => this.domains.findVerified(organizationId, domainOf(address)),
      { readOnly: true },
    );
    if (!sender) return undefined;
    const { domain, selector, sealed } = sender;
    if (selector === null || sealed === null) return { key: null };
    return { key: this.keys.open(organizationId, { domain, selector, sealed }) };
  }
}
