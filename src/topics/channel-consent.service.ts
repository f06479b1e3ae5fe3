import { Injectable } from '@nestjs/common';
import type { ConsentChannel, ConsentStatus } from '../contacts/consent.js';
import { withConsentOrigin } from '../contacts/consent-origin.js';
import { ContactsService } from '../contacts/contacts.service.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import type { Evidence } from './topic-subscription.entity.js';

/** Records decisions of contacts about channels, together with their evidence. */
@Injectable()
export class ChannelConsentService {
  constructor(
    private readonly contacts: ContactsService,
    private readonly tenants: TenantDatabase,
  ) {}

  /** Stores the decision. The caller must have opened a transaction of the organization. Throws `not_found`. */
  async decide(
    organizationId: string,
    contactId: string,
    channel: ConsentChannel,
    status: ConsentStatus,
    { source, evidence }: { source: string; evidence: Evidence },
  ): Promise<void> {
    const changes = { consent: { [channel]: status } };
    await withConsentOrigin(this.tenants.session(organizationId), source, evidence, () =>
      this.contacts.update(organizationId, contactId, changes, source),
    );
  }
}
