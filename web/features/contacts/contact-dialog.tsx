import { useMemo } from 'react';
import { type Contact, contactResult } from '../../api/contact.ts';
import { useTool, useToolCall, useToolList } from '../../api/tools.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { propertyList } from './property.readers.ts';
import {
  OTHER_PROPERTIES,
  mergeProperties,
  splitProperties,
  withDeclared,
} from './typed-properties.ts';

interface ContactDialogProps {
  title: string;
  action: string;
  /** The form shows the arguments of this tool. */
  tool: 'create_contact' | 'update_contact';
  hidden: readonly string[];
  initial?: Readonly<Record<string, unknown>>;
  /** Returns the arguments of the call, or undefined when there is nothing to do. */
  toArguments: (given: Record<string, unknown>) => Record<string, unknown> | undefined;
  onDone: (contact: Contact | undefined) => void;
  onClose: () => void;
}

/** Shows a form for a contact. Its fields are the arguments of the tool. */
export function ContactDialog(props: ContactDialogProps) {
  const { title, action, tool, hidden, initial, toArguments, onDone, onClose } = props;
  const { cancel } = useTexts(uiTexts);
  const texts = useTexts(contactsTexts);
  const tools = useToolList();
  const call = useToolCall(tool, contactResult, ['search_contacts', 'get_contact']);
  const properties = useTool('list_properties', {}, propertyList);
  const declared = properties.data?.properties;
  const inputSchema = tools.data?.find(({ name }) => name === tool)?.inputSchema;
  // The schema stays the same between renderings. A new one would change the fields while a person types.
  const schema = useMemo(
    () => inputSchema && declared && withDeclared(inputSchema, declared),
    [inputSchema, declared],
  );
  return (
    <Dialog isOpen onClose={onClose} title={title} isWide>
      {!schema && tools.error && (
        <ErrorPanel error={tools.error} onRetry={() => void tools.refetch()} />
      )}
      {!schema && properties.error && (
        <ErrorPanel error={properties.error} onRetry={() => void properties.refetch()} />
      )}
      {schema && declared ? (
        <SchemaForm
          schema={schema}
          hidden={hidden}
          labels={labelsOf(texts)}
          action={action}
          isBusy={call.isPending}
          error={call.error}
          {...(initial && { initial: splitProperties(initial, declared) })}
          onSubmit={(given) => {
            const changed = toArguments(mergeProperties(given));
            if (!changed) onDone(undefined);
            else call.mutate(changed, { onSuccess: ({ contact }) => onDone(contact) });
          }}
        >
          <Button onClick={onClose}>{cancel}</Button>
        </SchemaForm>
      ) : (
        !tools.error && !properties.error && <Skeleton rows={6} />
      )}
    </Dialog>
  );
}

function labelsOf(texts: (typeof contactsTexts)['en']): Record<string, string> {
  return {
    external_id: texts.externalId,
    email: texts.email,
    phone: texts.phone,
    first_name: texts.firstName,
    last_name: texts.lastName,
    locale: texts.locale,
    timezone: texts.timezone,
    tags: texts.tags,
    properties: texts.properties,
    [OTHER_PROPERTIES]: texts.otherProperties,
    consent: texts.consent,
  };
}
