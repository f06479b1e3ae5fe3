import { type FormEvent, useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { contactIdentityTexts } from '../../texts/contact-identity.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './contacts.module.css';
import { type Alias, aliasList, aliasResult, removedAlias } from './identity.readers.ts';

const CHANGED = ['list_contact_aliases', 'search_contacts', 'get_contact', 'find_duplicates'];

/** Lists the aliases of a contact. A person can add and remove aliases. */
export function ContactAliases({ contactId }: { contactId: string }) {
  const { aliases: texts } = useTexts(contactIdentityTexts);
  const toast = useToast();
  const query = useTool('list_contact_aliases', { contact_id: contactId }, aliasList);
  const remove = useToolCall('remove_contact_alias', removedAlias, CHANGED);
  const [asked, setAsked] = useState<Alias>();
  const aliases = query.data?.aliases;
  return (
    <Section title={texts.title} about={texts.about}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={1} />}
      {aliases?.length === 0 && <p>{texts.none}</p>}
      {aliases && aliases.length > 0 && (
        <Table
          label={texts.title}
          rows={aliases}
          keyOf={({ kind, value }) => `${kind} ${value}`}
          columns={[
            { name: texts.address, cell: ({ value }) => value },
            {
              name: texts.kind,
              cell: ({ kind }) =>
                texts.kinds[kind === 'phone' || kind === 'external_id' ? kind : 'email'],
            },
            {
              name: texts.actions,
              cell: (alias) => (
                <Button size="small" onClick={() => setAsked(alias)}>
                  {texts.remove}
                  <span className="hidden-visually"> {alias.value}</span>
                </Button>
              ),
            },
          ]}
        />
      )}
      <AliasForm contactId={contactId} />
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => {
          setAsked(undefined);
          remove.reset();
        }}
        title={texts.removeTitle(asked?.value ?? '')}
        description={texts.removeText}
        action={texts.remove}
        isDangerous
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          asked &&
          remove.mutate(
            { contact_id: contactId, [asked.kind]: asked.value },
            {
              onSuccess: () => {
                setAsked(undefined);
                toast(texts.removed);
              },
            },
          )
        }
      />
    </Section>
  );
}

function AliasForm({ contactId }: { contactId: string }) {
  const { aliases: texts } = useTexts(contactIdentityTexts);
  const toast = useToast();
  const call = useToolCall('add_contact_alias', aliasResult, CHANGED);
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const address = typed.trim();
    if (address === '' || call.isPending) return;
    const kind = address.includes('@') ? 'email' : 'phone';
    call.mutate(
      { contact_id: contactId, [kind]: address },
      {
        onSuccess: () => {
          setTyped('');
          toast(texts.added);
        },
      },
    );
  };
  return (
    <>
      <form className={styles.search} onSubmit={submit}>
        <TextField label={texts.value} autoComplete="off" value={typed} onChange={setTyped} />
        <Button type="submit" isBusy={call.isPending}>
          {texts.add}
        </Button>
      </form>
      {call.error && <ErrorPanel error={call.error} />}
    </>
  );
}
