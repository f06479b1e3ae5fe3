import { useState } from 'react';
import { type SignedInBrowser, useEndSession, useSessions } from '../../api/sessions.ts';
import { accountTexts } from '../../texts/account.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { LongTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './account.module.css';
import { describeClient } from './describe-client.ts';
import { SignOutButton } from './sign-out-button.tsx';

const ROWS = 20;

/** Lists the sessions of the person. The person can end them. */
export function SessionsSection() {
  const { sessions: texts } = useTexts(accountTexts);
  const query = useSessions();
  const end = useEndSession();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const hasOthers = query.data?.some((session) => !session.is_current);
  const endOne = (id: string): void => end.mutate(id, { onSuccess: () => toast(texts.ended) });
  const endOthers = (): void =>
    end.mutate(undefined, {
      onSuccess: () => {
        setAsking(false);
        toast(texts.endedOthers);
      },
    });
  return (
    <Section title={texts.title} about={texts.about}>
      {query.isPending && <Skeleton rows={2} />}
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {end.error && !isAsking && <ErrorPanel error={end.error} />}
      {query.data && (
        <LongTable
          size={ROWS}
          label={texts.title}
          rows={query.data}
          keyOf={({ id }) => id}
          columns={[
            { name: texts.browser, cell: (session) => <Client session={session} /> },
            { name: texts.address, cell: ({ address }) => address ?? texts.unknown },
            { name: texts.started, cell: ({ started_at: at }) => <Time value={at} /> },
            { name: texts.lastSeen, cell: ({ last_seen_at: at }) => <Time value={at} /> },
            {
              name: texts.end,
              cell: ({ id, is_current: isCurrent, client }) =>
                !isCurrent && (
                  <Button
                    size="small"
                    isBusy={end.isPending && end.variables === id}
                    aria-label={texts.endOne(
                      client ? describeClient(client).browser : texts.unknown,
                    )}
                    onClick={() => endOne(id)}
                  >
                    {texts.end}
                  </Button>
                ),
            },
          ]}
        />
      )}
      <div className={styles.actions}>
        {hasOthers && <Button onClick={() => setAsking(true)}>{texts.endOthers}</Button>}
        <SignOutButton />
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={texts.endOthersTitle}
        description={texts.endOthersText}
        action={texts.endOthers}
        isDangerous
        isBusy={end.isPending}
        error={end.error}
        onConfirm={endOthers}
      />
    </Section>
  );
}

function Client({ session }: { session: SignedInBrowser }) {
  const { sessions: texts } = useTexts(accountTexts);
  const { client } = session;
  const { browser, system } = client ? describeClient(client) : { browser: texts.unknown };
  return (
    <>
      <span title={client ?? undefined}>
        {system === undefined ? browser : texts.browserOn(browser, system)}
      </span>{' '}
      {session.is_current && <Badge tone="good">{texts.current}</Badge>}
    </>
  );
}
