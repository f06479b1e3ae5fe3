import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendersTexts } from '../../texts/senders.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { OverlapField, USUAL_OVERLAP } from './overlap-field.tsx';
import { findSender, senderOf, SENDERS } from './senders.ts';
import { savedWorkflow, type Workflow } from './workflow.readers.ts';
import styles from './workflows.module.css';

const CHANGED = ['get_workflow', 'list_workflows', 'list_webhook_deliveries'];
const SHOWN = ['trigger.signature', 'trigger.secret', 'trigger.verify_token'];
const OWN = { value: '', label: '' };

/** Lets a person choose the provider that signs deliveries, and enter its secret. The secret cannot be read again. */
export function SenderSection({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(sendersTexts);
  const { trigger } = workflow;
  const token = typeof trigger.verify_token === 'string' ? trigger.verify_token : '';
  const [sender, setSender] = useState(senderOf(workflow));
  const [secret, setSecret] = useState('');
  const [overlap, setOverlap] = useState<string>(USUAL_OVERLAP);
  const [verifyToken, setVerifyToken] = useState(token);
  const call = useToolCall('update_workflow', savedWorkflow, CHANGED);
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (path: string) => faults.find((fault) => fault.path === path)?.message;
  const isSigned = trigger.secret === true;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { verify_token: _, ...kept } = trigger;
    call.mutate(
      {
        workflow_id: workflow.id,
        expected_version: workflow.version,
        trigger: {
          ...kept,
          signature: sender ?? null,
          ...(sender && secret !== '' && { secret }),
          ...(sender && secret !== '' && isSigned && { overlap_seconds: Number(overlap) }),
          verify_token: sender === 'meta' && verifyToken !== '' ? verifyToken : null,
        },
      },
      { onSuccess: () => setSecret('') },
    );
  };
  return (
    <Section title={texts.title} about={texts.about}>
      <form className={styles.sender} noValidate onSubmit={submit}>
        <SelectField
          label={texts.signature}
          options={[
            { ...OWN, label: texts.own },
            ...Object.entries(SENDERS).map(([value, label]) => ({ value, label })),
          ]}
          value={sender ?? OWN.value}
          onChange={(value) => setSender(findSender(value))}
          fault={faultOf('trigger.signature')}
        />
        {sender && (
          <TextField
            type="password"
            label={texts.secret}
            description={isSigned ? `${texts.places[sender]} ${texts.kept}` : texts.places[sender]}
            isRequired={isSigned ? false : undefined}
            autoComplete="off"
            value={secret}
            onChange={setSecret}
            fault={faultOf('trigger.secret')}
          />
        )}
        {sender && isSigned && secret !== '' && (
          <OverlapField value={overlap} onChange={setOverlap} />
        )}
        {sender === 'meta' && (
          <TextField
            label={texts.verifyToken}
            description={texts.verifyTokenAbout}
            isRequired={false}
            autoComplete="off"
            spellCheck={false}
            value={verifyToken}
            onChange={setVerifyToken}
            fault={faultOf('trigger.verify_token')}
          />
        )}
        {call.error && (
          <ErrorPanel
            error={call.error}
            shownPaths={faults.map(({ path }) => path).filter((path) => SHOWN.includes(path))}
          />
        )}
        <div>
          <Button type="submit" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Section>
  );
}
