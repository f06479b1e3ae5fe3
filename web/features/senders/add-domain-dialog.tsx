import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { senderDomainsTexts } from '../../texts/sender-domains.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { senderDomainResult } from './sender-domain.readers.ts';
import styles from './senders.module.css';

/** Asks for a domain and adds it. */
export function AddDomainDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const texts = useTexts(senderDomainsTexts);
  const { cancel } = useTexts(uiTexts);
  const call = useToolCall('add_sender_domain', senderDomainResult, ['list_sender_domains']);
  const [domain, setDomain] = useState('');
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const fault = faults.find(({ path }) => path === 'domain');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    call.mutate({ domain }, { onSuccess: onDone });
  };
  return (
    <Dialog isOpen onClose={onClose} title={texts.add}>
      <form className={styles.form} noValidate onSubmit={submit}>
        <TextField
          label={texts.domain}
          description={texts.domainAbout}
          autoComplete="off"
          spellCheck={false}
          value={domain}
          onChange={setDomain}
          fault={fault?.message}
        />
        {call.error && <ErrorPanel error={call.error} shownPaths={fault ? ['domain'] : []} />}
        <div className={styles.actions}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="primary" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
