import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useTool, useToolCall } from '../../api/tools.ts';
import { contactIdentityTexts } from '../../texts/contact-identity.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { CheckField, TextAreaField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './contacts.module.css';
import { type ContactSettings, settingsResult } from './identity.readers.ts';

/** Shows the settings that decide how fields of contacts are read. */
export function ContactSettingsPage() {
  const { settings: texts } = useTexts(contactIdentityTexts);
  const query = useTool('get_contact_settings', {}, settingsResult);
  return (
    <Page title={texts.title} about={texts.about}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {query.data && <SettingsForm present={query.data.settings} />}
    </Page>
  );
}

function SettingsForm({ present }: { present: ContactSettings }) {
  const { settings: texts } = useTexts(contactIdentityTexts);
  const toast = useToast();
  const call = useToolCall('set_contact_settings', settingsResult, ['get_contact_settings']);
  const [region, setRegion] = useState<string>();
  const [isStrict, setStrict] = useState<boolean>();
  const [help, setHelp] = useState<string>();
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const typed = (region ?? present.region ?? '').trim();
    const helpText = (help ?? present.sms_help ?? '').trim();
    call.mutate(
      {
        region: typed === '' ? null : typed,
        strict_properties: isStrict ?? present.strict_properties,
        sms_help: helpText === '' ? null : helpText,
      },
      {
        onSuccess: () => {
          setRegion(undefined);
          setStrict(undefined);
          setHelp(undefined);
          toast(texts.saved);
        },
      },
    );
  };
  return (
    <form className={styles.settings} noValidate onSubmit={submit}>
      <TextField
        label={texts.region}
        description={texts.regionAbout}
        autoComplete="off"
        fault={faults.find(({ path }) => path === 'region')?.message}
        value={region ?? present.region ?? ''}
        onChange={setRegion}
      />
      <CheckField
        label={texts.strict}
        description={texts.strictAbout}
        value={isStrict ?? present.strict_properties}
        onChange={setStrict}
      />
      <TextAreaField
        label={texts.smsHelp}
        description={texts.smsHelpAbout}
        rows={3}
        fault={faults.find(({ path }) => path === 'sms_help')?.message}
        value={help ?? present.sms_help ?? ''}
        onChange={setHelp}
      />
      {call.error && <ErrorPanel error={call.error} shownPaths={['region', 'sms_help']} />}
      <div>
        <Button type="submit" look="primary" isBusy={call.isPending}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
