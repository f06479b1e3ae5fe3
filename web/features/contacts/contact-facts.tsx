import type { Contact } from '../../api/contact.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Facts } from '../../ui/page.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsentFacts, decisionsOf } from './consent-facts.tsx';
import { Tags } from './tags.tsx';

/** Shows the fields of a contact. */
export function ContactFacts({ contact }: { contact: Contact }) {
  const texts = useTexts(contactsTexts);
  const decisions = decisionsOf(contact.consent);
  return (
    <>
      <Facts
        facts={[
          [texts.email, contact.email],
          [texts.phone, contact.phone],
          [texts.externalId, contact.external_id],
          [texts.locale, contact.locale],
          [texts.timezone, contact.timezone],
          [texts.tags, contact.tags.length > 0 && <Tags key="tags" tags={contact.tags} />],
          [
            texts.consent,
            decisions.length > 0 && <ConsentFacts key="consent" decisions={decisions} />,
          ],
          [texts.created, <Time key="created" value={contact.created_at} isExact />],
          [texts.updated, <Time key="updated" value={contact.updated_at} isExact />],
        ]}
      />
      {Object.keys(contact.properties).length > 0 && (
        <TextViewer title={texts.properties} value={contact.properties} />
      )}
    </>
  );
}
