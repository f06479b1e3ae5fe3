import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendingTexts } from '../../texts/sending.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import styles from './messages.module.css';
import { QuietHoursFields, type TypedQuietHours, typedQuietHours } from './quiet-hours-fields.tsx';
import { SendingCaps, capArgument, typedCap } from './sending-caps.tsx';
import { type SendingRules, rulesResult } from './sending.readers.ts';

/** Shows when contacts get messages, and lets owners change the rules. */
export function SendingRulesPage() {
  const texts = useTexts(sendingTexts);
  const query = useTool('get_sending_rules', {}, rulesResult);
  return (
    <Page title={texts.title} about={texts.about}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={4} />}
      {query.data && <RulesForm present={query.data.rules} />}
    </Page>
  );
}

function RulesForm({ present }: { present: SendingRules }) {
  const texts = useTexts(sendingTexts);
  const toast = useToast();
  const call = useToolCall('set_sending_rules', rulesResult, ['get_sending_rules']);
  const [timezone, setTimezone] = useState(present.timezone);
  const [isStrict, setStrict] = useState(present.transactional_email);
  const [quiet, setQuiet] = useState<TypedQuietHours>(() => typedQuietHours(present.quiet_hours));
  const [caps, setCaps] = useState(() =>
    present.caps.map((cap, index) => typedCap(index + 1, cap)),
  );
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (path: string): string | undefined =>
    faults.find((fault) => fault.path === path)?.message;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { isOn, ...hours } = quiet;
    call.mutate(
      {
        timezone: timezone.trim(),
        transactional_email: isStrict,
        quiet_hours: isOn ? hours : null,
        caps: caps.map(capArgument),
      },
      { onSuccess: () => toast(texts.saved) },
    );
  };
  return (
    <form className={styles.rules} noValidate onSubmit={submit}>
      <TextField
        label={texts.timezone}
        description={texts.timezoneAbout}
        autoComplete="off"
        fault={faultOf('timezone')}
        value={timezone}
        onChange={setTimezone}
      />
      <CheckField
        label={texts.transactional}
        description={texts.transactionalAbout}
        value={isStrict}
        onChange={setStrict}
      />
      <Section title={texts.quiet}>
        <QuietHoursFields quiet={quiet} faultOf={faultOf} onChange={setQuiet} />
      </Section>
      <Section title={texts.caps}>
        <p>{texts.capsAbout}</p>
        <SendingCaps caps={caps} onChange={setCaps} />
      </Section>
      {call.error && (
        <ErrorPanel
          error={call.error}
          shownPaths={['timezone', 'quiet_hours.from', 'quiet_hours.to']}
        />
      )}
      <div>
        <Button type="submit" look="primary" isBusy={call.isPending}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
