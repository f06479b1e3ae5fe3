import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { toolsTexts } from '../../texts/tools.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { CONFIRMATIONS, type Policy, policyResult } from './tool.readers.ts';
import styles from './tools.module.css';

/** Shows the policy of the organization for a tool. The service lets only owners change it. */
export function PolicySection({ policy }: { policy: Policy }) {
  const texts = useTexts(toolsTexts);
  const toast = useToast();
  const call = useToolCall('set_tool_policy', policyResult, ['list_tool_policies']);
  const [hidden, setHidden] = useState(policy.hidden);
  const [confirmation, setConfirmation] = useState(policy.confirmation);
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const changed = {
      ...(hidden !== policy.hidden && { hidden }),
      ...(confirmation !== policy.confirmation && { confirmation }),
    };
    if (Object.keys(changed).length === 0) return;
    call.mutate({ tool: policy.tool, ...changed }, { onSuccess: () => toast(texts.saved) });
  };
  return (
    <Section title={texts.policy} about={texts.policyAbout}>
      <form className={styles.form} onSubmit={submit}>
        <CheckField label={texts.hide} value={hidden} onChange={setHidden} />
        <SelectField
          label={texts.confirmation}
          description={confirmation === 'when_possible' && texts.clientDecides}
          fault={faults.find(({ path }) => path === 'confirmation')?.message}
          value={confirmation}
          options={CONFIRMATIONS.map((value) => ({ value, label: texts.confirmations[value] }))}
          onChange={setConfirmation}
        />
        {call.error && <ErrorPanel error={call.error} shownPaths={['confirmation']} />}
        <div>
          <Button type="submit" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Section>
  );
}
