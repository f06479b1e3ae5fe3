import { Injectable } from '@nestjs/common';
import type { Actor } from '../accounts/account.js';
import { AuditLog } from '../accounts/audit-log.js';
import type { RequestOrigin } from '../accounts/request-origin.js';
import { CONSENT_CHANNELS } from '../contacts/consent.js';
import { ContactBatchesService, type ListedContact } from '../contacts/contact-batches.service.js';
import type { PropertyValue } from '../contacts/property-type.js';
import { TenantDatabase } from '../database/transactions/tenant-database.js';
import { AppError } from '../errors/app-error.js';
import type { TakeTurn } from '../http/body-chunks.js';
import { csvLine } from '../text/csv-line.js';
import { OrganizationSlots } from '../turns/organization-slots.js';
import { PART_BYTES } from './part-bytes.js';

const CONTACTS_OF_PART = { rows: 25, bytes: PART_BYTES };
/** The text in place of the tags and properties of a contact that is cut. */
const CUT = '[more than 1 MiB]';
/** The largest number of exports of an organization at the same time. */
const MOST_EXPORTS = 3;
const TOO_MANY = `At most ${MOST_EXPORTS} exports of an organization run at the same time. Wait for the end of one.`;
/**
 * The largest number of properties in a file. An import accepts a file with this number of properties and all other
 * columns.
 */
const MOST_PROPERTIES = 400;
const COLUMNS = [
  'external_id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'locale',
  'timezone',
  'tags',
];

/** Writes the contacts of organizations as CSV that an import reads. */
@Injectable()
export class ContactExportService {
  /** Limits the exports that an organization has at the same time. */
  readonly slots = new OrganizationSlots(
    MOST_EXPORTS,
    () => new AppError('rate_limited', TOO_MANY, { retryAfterSeconds: 10 }),
  );

  constructor(
    private readonly contacts: ContactBatchesService,
    private readonly tenants: TenantDatabase,
    private readonly audit: AuditLog,
  ) {}

  /** Adds an entry to the audit log with the person who exports all contacts. */
  async record(
    { organizationId, actor }: { organizationId: string; actor: Actor },
    origin: RequestOrigin,
  ): Promise<void> {
    await this.tenants.transaction(organizationId, () =>
      this.audit.record(organizationId, actor, 'export_contacts', null, { origin }),
    );
  }

  /**
   * Returns the contacts in the order of their ids. Each part is read in its own transaction, so contacts that are
   * created meanwhile may be missing. Each part is converted after `takeTurn`.
   */
  async *lines(organizationId: string, takeTurn: TakeTurn): AsyncGenerator<string> {
    const properties = await this.read(organizationId, () =>
      this.contacts.listPropertyNames(organizationId, MOST_PROPERTIES),
    );
    yield csvLine([
      ...COLUMNS,
      ...CONSENT_CHANNELS.map((channel) => `consent.${channel}`),
      ...properties.map((name) => `properties.${name}`),
    ]);
    for (let after = ''; ;) {
      const contacts = await this.read(organizationId, () =>
        this.contacts.listAfter(organizationId, after, CONTACTS_OF_PART),
      );
      if (contacts.length === 0) return;
      await takeTurn(sizeOf(contacts, properties.length));
      yield contacts.map((contact) => lineOf(contact, properties)).join('');
      after = contacts.at(-1)!.id;
    }
  }

  private read<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    return this.tenants.transaction(organizationId, work, { readOnly: true });
  }
}

/** Returns the size of the lines of these contacts. Each property adds at least a comma to a line. */
function sizeOf(contacts: readonly ListedContact[], properties: number): number {
  return contacts.reduce((sum, { bytes }) => sum + bytes + properties, 0);
}

function lineOf(contact: ListedContact, properties: readonly string[]): string {
  const { externalId, email, phone, firstName, lastName, locale, timezone, tags, consent, isCut } =
    contact;
  return csvLine([
    ...[externalId, email, phone, firstName, lastName, locale, timezone].map((text) => text ?? ''),
    isCut ? CUT : textOf(tags),
    ...CONSENT_CHANNELS.map((channel) => consent[channel]?.status ?? ''),
    ...properties.map((name) => {
      if (isCut) return CUT;
      return Object.hasOwn(contact.properties, name) ? textOf(contact.properties[name]!) : '';
    }),
  ]);
}

/**
 * Returns a value as text. A list ends with a semicolon if an import would otherwise split its only item at a comma.
 */
function textOf(value: PropertyValue): string {
  if (!Array.isArray(value)) return String(value);
  const text = value.join(';');
  return value.length === 1 && /[,|]/.test(text) ? `${text};` : text;
}
