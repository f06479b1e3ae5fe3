import { AppError } from '../errors/app-error.js';
import { type ContactChanges, MOST_TAGS } from './contact-fields.js';
import { IDENTIFIERS, type Identifier } from './contact-statements.js';
import type { Contact } from './contact.entity.js';

type AddressColumn = (typeof IDENTIFIERS)[Identifier];

/** Leaves out the addresses that are aliases of the contact. An alias would replace the contact's own address. */
export function withoutAliases(
  holders: readonly { identifier: Identifier; contact: Pick<Contact, AddressColumn> }[],
  changes: ContactChanges,
): ContactChanges {
  const aliases = holders
    .map(({ identifier, contact }) => [IDENTIFIERS[identifier], contact] as const)
    .filter(([column, contact]) => contact[column] !== changes[column]);
  return { ...changes, ...Object.fromEntries(aliases.map(([column]) => [column, undefined])) };
}

/** Adds the tags of the contact to the tags of the changes. Throws `invalid_arguments` when there are too many tags. */
export function mergeTags(contact: Pick<Contact, 'tags'>, changes: ContactChanges): ContactChanges {
  if (!changes.tags) return changes;
  const tags = [...new Set([...contact.tags, ...changes.tags])];
  if (tags.length <= MOST_TAGS) return { ...changes, tags };
  const count = `${tags.length} together with the existing tags`;
  throw AppError.invalidField('tags', `must be at most ${MOST_TAGS}, but would be ${count}`);
}

/** Returns the error of a call whose contact was changed again and again by other calls. */
export function tooManyChanges(): AppError {
  return new AppError('unavailable', 'Other calls are changing this contact. Try again.');
}

export function identifierConflict(
  holders: readonly { identifier: Identifier; contact?: Pick<Contact, 'id'> }[],
): AppError {
  const details = holders.map(({ identifier, contact }) => ({
    path: identifier,
    message: `belongs to ${contact ? `the contact ${contact.id}` : 'another contact'}`,
  }));
  const first = details[0]!;
  return new AppError('conflict', `${first.path} ${first.message}.`, { details });
}
