import type { ApiError } from '../api/api-error.ts';
import { type Contact, contact, contactResult } from '../api/contact.ts';
import { nextCursor } from '../api/page-readers.ts';
import { list, record } from '../api/reader.ts';
import { useTool } from '../api/tools.ts';
import { useSettled } from './use-settled.ts';

/** The largest number of contacts that a search shows. */
export const MOST_FOUND = 8;
const ID = /^con_[0-9A-Za-z]+$/;

const foundContacts = record({ contacts: list(contact), next_cursor: nextCursor });

export interface FoundContacts {
  readonly contacts: readonly Contact[];
  readonly hasMore: boolean;
  /** The failure of the search, if it failed. */
  readonly error?: ApiError;
}

/**
 * Finds contacts by a part of a name, an address or an external id, or by a complete id. Returns undefined until the
 * contacts for exactly this text are known, so that nobody can choose a contact that was found for an earlier text.
 */
export function useFoundContacts(typed: string): FoundContacts | undefined {
  const text = typed.trim();
  const settled = useSettled(text);
  const isId = ID.test(settled);
  const byId = useTool('get_contact', { contact_id: settled }, contactResult, isId);
  const given = { query: settled, limit: MOST_FOUND };
  const byText = useTool('search_contacts', given, foundContacts, settled !== '' && !isId);
  const query = isId ? byId : byText;
  if (text === '' || settled !== text || query.isPlaceholderData) return undefined;
  if (query.error) {
    // For a person who searches, an unknown id is not a failure.
    const isUnknown = query.error.code === 'not_found';
    return { contacts: [], hasMore: false, ...(!isUnknown && { error: query.error }) };
  }
  if (isId) return byId.data && { contacts: [byId.data.contact], hasMore: false };
  return (
    byText.data && { contacts: byText.data.contacts, hasMore: byText.data.next_cursor !== null }
  );
}
