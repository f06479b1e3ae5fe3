import { type FormEvent, useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { channelsTexts } from '../../texts/channels.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { type Provider, testedProvider } from './channel.readers.ts';
import styles from './channels.module.css';

const MOST_REASON = 1000;

/** Sends a test message through one provider, and shows the result. */
export function TestDialog({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  const texts = useTexts(channelsTexts);
  const { cancel } = useTexts(uiTexts);
  const call = useToolCall('test_channel_provider', testedProvider, []);
  const [to, setTo] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    call.mutate({ provider_id: provider.id, to: to.trim() });
  };
  const outcomes: Readonly<Record<string, string>> = texts.outcomes;
  return (
    <Dialog isOpen onClose={onClose} title={texts.testTitle(provider.name)}>
      <form className={styles.form} noValidate onSubmit={submit}>
        <TextField
          label={texts.address}
          description={texts.testAbout}
          autoComplete="off"
          value={to}
          onChange={setTo}
        />
        {call.error && <ErrorPanel error={call.error} />}
        {call.data && (
          <div role="status">
            <p>{outcomes[call.data.outcome] ?? call.data.outcome}</p>
            {call.data.reason && (
              <p>
                <ForeignText text={call.data.reason} most={MOST_REASON} />
              </p>
            )}
          </div>
        )}
        <div className={styles.actions}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="primary" isBusy={call.isPending}>
            {texts.test}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
