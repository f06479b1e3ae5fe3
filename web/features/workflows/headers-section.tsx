import { type FormEvent, useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendersTexts } from '../../texts/senders.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { savedWorkflow, type Workflow } from './workflow.readers.ts';
import styles from './workflows.module.css';

const CHANGED = ['get_workflow', 'list_workflows'];

/** Lets a person enter the names of the delivery headers that expressions see. */
export function HeadersSection({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(sendersTexts).headers;
  const { headers } = workflow.trigger;
  const [names, setNames] = useState(Array.isArray(headers) ? headers.join(', ') : '');
  const call = useToolCall('update_workflow', savedWorkflow, CHANGED);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = names.split(/[\s,]+/).filter((name) => name !== '');
    call.mutate({
      workflow_id: workflow.id,
      expected_version: workflow.version,
      trigger: { ...workflow.trigger, headers: given.length > 0 ? given : null },
    });
  };
  return (
    <Section title={texts.title} about={texts.about}>
      <form className={styles.sender} noValidate onSubmit={submit}>
        <TextField
          label={texts.names}
          description={texts.namesAbout}
          isRequired={false}
          autoComplete="off"
          spellCheck={false}
          value={names}
          onChange={setNames}
        />
        {call.error && <ErrorPanel error={call.error} />}
        <div>
          <Button type="submit" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Section>
  );
}
