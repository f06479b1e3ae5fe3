import type { Contact } from '../../api/contact.ts';
import { isObject } from '../../api/reader.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Facts } from '../../ui/page.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { Time } from '../../ui/time.tsx';
import styles from './contacts.module.css';
import { Tags } from './tags.tsx';

/** Shows the fields of a contact. */
export function ContactFacts({ contact }: { contact: Contact }) {
  const texts = useTexts(contactsTexts);
  const consents = Object.entries(contact.consent).flatMap(([channel, state]) =>
    isObject(state) && typeof state.status === 'string' ? [[channel, state.status] as const] : [],
  );
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
            consents.length > 0 && (
              <div key="consent" className={styles.row}>
                {consents.map(([channel, status]) => (
                  <Badge key={channel} tone={status === 'granted' ? 'good' : 'bad'}>
                    {`${channel}: ${status}`}
                  </Badge>
                ))}
              </div>
            ),
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
