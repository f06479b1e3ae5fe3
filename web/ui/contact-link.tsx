import { Link } from '@tanstack/react-router';
import { contactResult, nameOf } from '../api/contact.ts';
import { useTool } from '../api/tools.ts';
import { ForeignText } from './foreign-text.tsx';

/** Links to a contact by its name, or by its id while the name loads and when the contact cannot be read. */
export function ContactLink({ contactId }: { contactId: string }) {
  const { data } = useTool('get_contact', { contact_id: contactId }, contactResult);
  return (
    <Link to="/contacts/$contactId" params={{ contactId }}>
      <ForeignText text={(data && nameOf(data.contact)) ?? contactId} />
    </Link>
  );
}
