import { Injectable } from '@nestjs/common';
import { AppError, assertFound } from '../errors/app-error.js';
import { pageOf, readCursor, writeCursor } from '../paging/paging.js';
import { ContactPropertiesRepository, type UnfitValue } from './contact-properties.repository.js';
import type { ContactProperty } from './contact-property.entity.js';
import { ContactRulesRepository } from './contact-rules.repository.js';
import { ContactsService } from './contacts.service.js';
import { propertyNameFault } from './parse-properties.js';
import { type PropertyRule, typeFault } from './property-type.js';

const MOST_DECLARED = 100;
const MOST_SHOWN = 5;
/**
 * The largest number of values that one call removes, because each contact that loses its value can start workflows.
 */
const MOST_REMOVED = 200;

/**
 * Manages the declared properties of contacts. Stored values of a declared property always fit its type. The caller of
 * each method must have opened a transaction of the organization.
 */
@Injectable()
export class ContactPropertiesService {
  constructor(
    private readonly properties: ContactPropertiesRepository,
    private readonly rules: ContactRulesRepository,
    private readonly contacts: ContactsService,
  ) {}

  /** Returns the properties in the order of their names. */
  list(organizationId: string): Promise<ContactProperty[]> {
    return this.properties.list(organizationId);
  }

  /**
   * Declares a property, or changes its type. Throws `invalid_arguments`, and `conflict` with the first contacts when
   * stored values do not fit.
   */
  async set(organizationId: string, name: string, rule: PropertyRule): Promise<ContactProperty> {
    assertRule(name, rule);
    await this.rules.lockProperties(organizationId);
    const others = (await this.properties.list(organizationId)).filter(
      (property) => property.name !== name,
    );
    if (others.length >= MOST_DECLARED) {
      throw new AppError(
        'conflict',
        `At most ${MOST_DECLARED} properties can be declared. Delete one first.`,
      );
    }
    const unfit = await this.properties.listUnfit(organizationId, name, rule, '', MOST_SHOWN);
    if (unfit.length > 0) throw unfitConflict(name, rule, unfit);
    await this.properties.save(organizationId, name, rule);
    return assertFound(await this.properties.find(organizationId, name), 'property');
  }

  /** Deletes the declaration of a property. The values of contacts stay. Throws `not_found`. */
  async delete(organizationId: string, name: string): Promise<void> {
    await this.rules.lockProperties(organizationId);
    if (await this.properties.delete(organizationId, name)) return;
    throw new AppError(
      'not_found',
      `The property ${name} is not declared. List the declared ones with list_properties.`,
    );
  }

  /**
   * Returns one page of the values that would not fit the rule, and the cursor of the next page. The values are in the
   * order of the contacts' ids.
   */
  async listUnfit(
    organizationId: string,
    name: string,
    rule: PropertyRule,
    page: { limit: number; cursor: string | undefined },
  ): Promise<{ values: UnfitValue[]; nextCursor: string | null }> {
    assertRule(name, rule);
    const afterId = readAfterId(page.cursor);
    const rows = await this.properties.listUnfit(
      organizationId,
      name,
      rule,
      afterId,
      page.limit + 1,
    );
    const { page: values, nextCursor } = pageOf(
      rows,
      page.limit,
      ({ contactId }) => writeCursor([contactId]),
      ({ value }) => JSON.stringify(value).length,
    );
    return { values, nextCursor };
  }

  /**
   * Removes the values that would not fit the rule from at most 200 contacts. `hasMore` is true when other contacts
   * still have values that do not fit.
   */
  async removeUnfit(
    organizationId: string,
    name: string,
    rule: PropertyRule,
    source: string,
  ): Promise<{ removed: number; hasMore: boolean }> {
    assertRule(name, rule);
    // Without the lock, a value that another transaction has just corrected could be removed.
    await this.rules.lockProperties(organizationId);
    const unfit = await this.properties.listUnfit(organizationId, name, rule, '', MOST_REMOVED + 1);
    const chosen = unfit.slice(0, MOST_REMOVED);
    let removed = 0;
    for (const { contactId } of chosen) {
      const contact = await this.contacts.find(organizationId, contactId);
      // Another transaction may have deleted the contact.
      if (!contact) continue;
      await this.contacts.update(
        organizationId,
        contactId,
        { properties: { [name]: null } },
        source,
      );
      removed += 1;
    }
    return { removed, hasMore: unfit.length > chosen.length };
  }
}

function assertRule(name: string, { type, options }: PropertyRule): void {
  const fault = propertyNameFault(name);
  if (fault) throw AppError.invalidField('name', fault);
  if (type === 'enum' && options.length === 0) {
    throw AppError.invalidField('options', 'is required for the type enum');
  }
  if (type !== 'enum' && options.length > 0) {
    throw AppError.invalidField('options', `does not belong to the type ${type}`);
  }
  if (new Set(options).size < options.length) {
    throw AppError.invalidField('options', 'must be different from each other');
  }
}

function unfitConflict(name: string, rule: PropertyRule, unfit: readonly UnfitValue[]): AppError {
  const details = unfit.map(({ contactId, value }) => ({
    path: contactId,
    message: `${name} ${typeFault(rule, value) ?? 'does not fit'}`,
  }));
  const message =
    `Contacts have values of ${name} that do not fit the type ${rule.type}. ` +
    'List them with list_unfit_values, then change them or remove them with remove_unfit_values.';
  return new AppError('conflict', message, { details });
}

function readAfterId(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const [id, ...more] = readCursor(cursor);
  if (typeof id === 'string' && /^\w{1,64}$/.test(id) && more.length === 0) return id;
  const message = 'was not returned by this tool';
  throw AppError.invalid(`cursor ${message}. Use next_cursor of the previous page.`, [
    { path: 'cursor', message },
  ]);
}
