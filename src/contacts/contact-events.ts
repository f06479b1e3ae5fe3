import type { DomainEvent } from '../events/domain-event.js';
import { canonicalJson } from '../text/canonical-json.js';
import type { ContactView } from './contact.results.js';

/** What happened to a contact that is now `after`; nothing, when no field of it is another one than before. */
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

function changedFields(before: ContactView, after: ContactView): string[] {
  return (Object.keys(after) as (keyof ContactView)[]).filter(
    // The time of a change is no change: a workflow that writes what is there already must not start itself.
    (field) =>
      field !== 'updated_at' && canonicalJson(before[field]) !== canonicalJson(after[field]),
  );
}
