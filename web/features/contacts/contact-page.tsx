import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Contact, contactResult, nameOf } from '../../api/contact.ts';
import { isObject } from '../../api/reader.ts';
import { useTool } from '../../api/tools.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendMessageTexts } from '../../texts/send-message.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { UnloadedPage } from '../../ui/unloaded-page.tsx';
import { changedFields } from './changed-fields.ts';
import { changedConsent, consentOf } from './consent.ts';
import { ContactAliases } from './contact-aliases.tsx';
import { ConsentHistory } from './consent-history.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import { ContactMerges } from './contact-merges.tsx';
import { ContactSending } from './contact-sending.tsx';
import { ContactTopics } from './contact-topics.tsx';
import { ContactHistory } from './contact-history.tsx';
import { ContactFacts } from './contact-facts.tsx';
import { DeleteContactDialog } from './delete-contact-dialog.tsx';

/** Shows one contact with its messages and runs. */
export function ContactPage() {
  const texts = useTexts(contactsTexts);
  const { contactId } = useParams({ from: '/signed-in/contacts/$contactId' });
  const query = useTool('get_contact', { contact_id: contactId }, contactResult);
  const back = (
    <Link to="/contacts" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  if (!query.data) {
    return <UnloadedPage key={contactId} title={texts.title} back={back} query={query} />;
  }
  const { contact } = query.data;
  return (
    <Page
      title={nameOf(contact) ?? texts.unnamed}
      back={back}
      actions={<ContactActions contact={contact} />}
    >
      <ContactFacts contact={contact} />
      <ContactAliases contactId={contact.id} />
      <ContactMerges contactId={contact.id} />
      <ContactTopics contactId={contact.id} />
      <ContactSending contactId={contact.id} />
      <ConsentHistory contactId={contact.id} />
      <ContactHistory contactId={contact.id} />
    </Page>
  );
}

function ContactActions({ contact }: { contact: Contact }) {
  const texts = useTexts(contactsTexts);
  const ui = useTexts(uiTexts);
  const send = useTexts(sendMessageTexts);
  const toast = useToast();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const before = editable(contact);
  return (
    <>
      <Link to="/messages/new" search={{ contact: contact.id }} className={buttonClass()}>
        {send.title}
      </Link>
      <Button onClick={() => setOpen('edit')}>{ui.edit}</Button>
      <Button onClick={() => setOpen('delete')}>{ui.delete}</Button>
      {open === 'edit' && (
        <ContactDialog
          title={texts.edit}
          action={ui.save}
          tool="update_contact"
          hidden={['contact_id']}
          initial={before}
          toArguments={(given) => {
            const { consent: _before, properties: beforeProperties, ...fields } = before;
            const { consent, properties, ...givenFields } = given;
            const changedProperties = changedFields(
              withoutEmpty(isObject(beforeProperties) ? beforeProperties : {}),
              isObject(properties) ? properties : {},
            );
            const changed = {
              ...changedFields(fields, givenFields),
              ...(Object.keys(changedProperties).length > 0 && { properties: changedProperties }),
              ...changedConsent(contact.consent, consent),
            };
            const isChanged = Object.keys(changed).length > 0;
            return isChanged ? { contact_id: contact.id, ...changed } : undefined;
          }}
          onClose={() => setOpen(undefined)}
          onDone={(person) => {
            setOpen(undefined);
            toast(person ? texts.saved : texts.unchanged);
          }}
        />
      )}
      {open === 'delete' && (
        <DeleteContactDialog contactId={contact.id} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}

/** Leaves out empty texts, because a text field shows an empty text and an absent property in the same way. */
function withoutEmpty(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== ''));
}

/** Returns the fields that the form edits. */
function editable(contact: Contact): Record<string, unknown> {
  const { id: _id, consent, created_at: _at, updated_at: _then, ...rest } = contact;
  const hasProperties = Object.keys(rest.properties).length > 0;
  return {
    ...rest,
    properties: hasProperties ? rest.properties : undefined,
    consent: consentOf(consent),
  };
}
