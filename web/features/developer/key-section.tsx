import { useState } from 'react';
import { type ApiKey, useApiKey, useCreateApiKey, useRevokeApiKey } from '../../api/keys.ts';
import { developerTexts } from '../../texts/developer.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Facts, Section } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/state.tsx';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './developer.module.css';

type Step = 'replace' | 'revoke' | 'shown' | undefined;

/** Makes, describes and revokes the key. A new one is shown once, and the old one goes only after a confirmation. */
export function KeySection({
  shownKey,
  onKey,
}: {
  shownKey: string | undefined;
  onKey: (key: string | undefined) => void;
}) {
  const { key: texts } = useTexts(developerTexts);
  const query = useApiKey();
  const create = useCreateApiKey();
  const revoke = useRevokeApiKey();
  const toast = useToast();
  const [step, setStep] = useState<Step>();
  const make = (): void => {
    create.mutate(undefined, {
      onSuccess: (key) => {
        onKey(key);
        setStep('shown');
      },
    });
  };
  const end = (): void => {
    revoke.mutate(undefined, {
      onSuccess: () => {
        onKey(undefined);
        setStep(undefined);
        toast(texts.revoked);
      },
    });
  };
  const close = (): void => {
    setStep(undefined);
    create.reset();
    revoke.reset();
  };
  return (
    <Section title={texts.title} about={texts.about}>
      {query.isPending && <Skeleton rows={2} />}
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {create.error && step === undefined && <ErrorPanel error={create.error} />}
      {query.data === null && (
        <EmptyState
          title={texts.none}
          actions={
            <Button look="primary" isBusy={create.isPending} onClick={make}>
              {texts.make}
            </Button>
          }
        >
          {texts.noneAbout}
        </EmptyState>
      )}
      {query.data && (
        <>
          <KeyFacts apiKey={query.data} />
          <div className={styles.keyActions}>
            <Button onClick={() => setStep('replace')}>{texts.replace}</Button>
            <Button onClick={() => setStep('revoke')}>{texts.revoke}</Button>
          </div>
        </>
      )}
      <ConfirmDialog
        isOpen={step === 'replace'}
        onClose={close}
        title={texts.replaceTitle}
        description={texts.replaceText}
        action={texts.replace}
        isDangerous
        isBusy={create.isPending}
        error={create.error}
        onConfirm={make}
      />
      <ConfirmDialog
        isOpen={step === 'revoke'}
        onClose={close}
        title={texts.revokeTitle}
        description={texts.revokeText}
        action={texts.revoke}
        isDangerous
        isBusy={revoke.isPending}
        error={revoke.error}
        onConfirm={end}
      />
      <Dialog
        isOpen={step === 'shown' && shownKey !== undefined}
        onClose={close}
        title={texts.shownTitle}
        description={texts.shownText}
        actions={
          <Button look="primary" onClick={close}>
            {texts.stored}
          </Button>
        }
      >
        <CodeBlock title={texts.name} code={shownKey ?? ''} isWrapped />
      </Dialog>
    </Section>
  );
}

function KeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { key: texts } = useTexts(developerTexts);
  return (
    <Facts
      facts={[
        [texts.shape, <code key="key">{`${apiKey.prefix}…${apiKey.last_four}`}</code>],
        [texts.created, <Time key="created" value={apiKey.created_at} />],
        [
          texts.used,
          apiKey.last_used_at ? <Time key="used" value={apiKey.last_used_at} /> : texts.never,
        ],
      ]}
    />
  );
}
