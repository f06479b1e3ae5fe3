import { useState } from 'react';
import {
  type ApiKey,
  type KeyOptions,
  useApiKey,
  useCreateApiKey,
  useRevokeApiKey,
} from '../../api/keys.ts';
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
import { KeyLimitFields } from './key-limit-fields.tsx';
import { type KeyLimits, NO_LIMITS, toOptions } from './key-limits.ts';

type Step = 'limited' | 'replace' | 'revoke' | 'shown' | undefined;

/**
 * Creates, describes and revokes the key. A new key is shown once, and the old key is revoked only after a
 * confirmation.
 */
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
  const [limits, setLimits] = useState<KeyLimits>(NO_LIMITS);
  const make = (options: KeyOptions): void => {
    create.mutate(options, {
      onSuccess: (key) => {
        onKey(key);
        setStep('shown');
        setLimits(NO_LIMITS);
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
            <>
              <Button look="primary" isBusy={create.isPending} onClick={() => make({})}>
                {texts.make}
              </Button>
              <Button onClick={() => setStep('limited')}>{texts.makeLimited}</Button>
            </>
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
        isOpen={step === 'replace' || step === 'limited'}
        onClose={close}
        title={step === 'limited' ? texts.makeLimited : texts.replaceTitle}
        description={step === 'limited' ? texts.limitsAbout : texts.replaceText}
        action={step === 'limited' ? texts.make : texts.replace}
        isDangerous={step === 'replace'}
        isBusy={create.isPending}
        error={create.error}
        onConfirm={() => make(toOptions(limits))}
      >
        <KeyLimitFields limits={limits} onChange={setLimits} />
      </ConfirmDialog>
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
          texts.expires,
          apiKey.expires_at ? (
            <Time key="expires" value={apiKey.expires_at} isExact />
          ) : (
            texts.never
          ),
        ],
        [texts.may, apiKey.read_only ? texts.readOnly : texts.everything],
        [texts.tools, apiKey.tools?.join(', ')],
        [
          texts.used,
          apiKey.last_used_at ? <Time key="used" value={apiKey.last_used_at} /> : texts.never,
        ],
        [texts.usedBy, apiKey.last_used_client],
        [texts.usedFrom, apiKey.last_used_address],
      ]}
    />
  );
}
