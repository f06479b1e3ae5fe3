import type { DomainEvent } from '../events/domain-events.js';
import { canonicalJson } from '../text/canonical-json.js';
import type { ContactView } from './contact.results.js';

/** Returns the events for a contact that was created or changed. Returns no event when no field changed. */
export function contactEvents(before: ContactView | null, after: ContactView): DomainEvent[] {
  const changed = before ? changedFields(before, after) : [];
  if (before && changed.length === 0) return [];
  const tags = after.tags.filter((tag) => !before?.tags.includes(tag));
  const event = (name: DomainEvent['name'], more: object): DomainEvent => ({
    name,
    contactId: after.id,
    payload: { event: name, contact: after, ...more },
  });
  return [
    before ? event('contact.updated', { changed }) : event('contact.created', {}),
    ...(tags.length > 0 ? [event('contact.tagged', { tags })] : []),
  ];
}

/** Returns the names of the fields whose values differ. */
export function changedFields(before: ContactView, after: ContactView): string[] {
  return (Object.keys(after) as (keyof ContactView)[]).filter(
    // If updated_at counted, a workflow that writes the same values again would start itself forever.
    (field) =>
      field !== 'updated_at' && canonicalJson(before[field]) !== canonicalJson(after[field]),
  );
}
