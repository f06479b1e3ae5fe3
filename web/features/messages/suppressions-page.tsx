import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { suppressionsTexts } from '../../texts/suppressions.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import styles from './messages.module.css';
import { isPhoneLike } from './phone-like.ts';
import {
  type Suppression,
  removedSuppression,
  suppressionPage,
  suppressionResult,
} from './suppression.readers.ts';

const ROWS = 50;
const CHANGED = ['list_suppressions'];

/** Shows the suppressed addresses, and adds and removes them. */
export function SuppressionsPage() {
  const texts = useTexts(suppressionsTexts);
  const { all } = useTexts(messagesTexts);
  const query = usePagedTool('list_suppressions', { limit: ROWS }, suppressionPage);
  const removal = useRemoval(
    'remove_suppression',
    removedSuppression,
    CHANGED,
    texts.removed,
    ({ channel, address }: Suppression) => ({ channel, address }),
  );
  const reasons: Readonly<Record<string, string>> = texts.reasons;
  return (
    <Page
      title={texts.title}
      about={texts.about}
      back={
        <Link to="/messages" className={backClass}>
          <Icon name="chevronLeft" />
          {all}
        </Link>
      }
    >
      <SuppressionForm />
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.suppressions}
        keyOf={({ channel, address }) => `${channel} ${address}`}
        columns={[
          { name: texts.address, cell: ({ address }) => address },
          { name: texts.channel, cell: ({ channel }) => channel },
          { name: texts.reason, cell: ({ reason }) => reasons[reason] ?? reason },
          {
            name: texts.message,
            cell: ({ message_id: id }) =>
              id && (
                <Link to="/messages/$messageId" params={{ messageId: id }}>
                  {id}
                </Link>
              ),
          },
          { name: texts.since, cell: ({ created_at: at }) => <Time value={at} /> },
          {
            name: texts.actions,
            cell: (row) => (
              <Button size="small" onClick={() => removal.ask(row)}>
                {texts.remove}
                <span className="hidden-visually"> {row.address}</span>
              </Button>
            ),
          },
        ]}
        empty={<EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      />
      <ConfirmDialog
        {...removal.dialog}
        title={texts.removeTitle(removal.asked?.address ?? '')}
        description={texts.removeText}
        action={texts.remove}
      />
    </Page>
  );
}

function SuppressionForm() {
  const texts = useTexts(suppressionsTexts);
  const toast = useToast();
  const call = useToolCall('suppress_address', suppressionResult, CHANGED);
  const [typed, setTyped] = useState('');
  const [isNeither, setNeither] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const address = typed.trim();
    if (address === '' || call.isPending) return;
    const channel = channelOf(address);
    setNeither(!channel);
    if (!channel) return call.reset();
    call.mutate(
      { channel, address },
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
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={texts.value}
          fault={isNeither ? texts.neither : undefined}
          autoComplete="off"
          value={typed}
          onChange={setTyped}
        />
        <Button type="submit" isBusy={call.isPending}>
          {texts.add}
        </Button>
      </form>
      {call.error && <ErrorPanel error={call.error} />}
    </>
  );
}

/** Returns the channel of an address, or undefined for a text that is neither an e-mail address nor a phone number. */
function channelOf(address: string): 'email' | 'sms' | undefined {
  if (address.includes('@')) return 'email';
  return isPhoneLike(address) ? 'sms' : undefined;
}
