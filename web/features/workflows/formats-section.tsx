import { useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { sendersTexts } from '../../texts/senders.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { FORMATS, type Format, formatsOf } from './senders.ts';
import { savedWorkflow, type Workflow } from './workflow.readers.ts';
import styles from './workflows.module.css';

const CHANGED = ['get_workflow', 'list_workflows'];

/** Lets a person choose the formats that the webhook accepts besides JSON objects. */
export function FormatsSection({ workflow }: { workflow: Workflow }) {
  const texts = useTexts(sendersTexts).formats;
  const [chosen, setChosen] = useState<readonly Format[]>(() => formatsOf(workflow));
  const call = useToolCall('update_workflow', savedWorkflow, CHANGED);
  const save = (): void =>
    call.mutate({
      workflow_id: workflow.id,
      expected_version: workflow.version,
      trigger: { ...workflow.trigger, accept: chosen },
    });
  return (
    <Section title={texts.title} about={texts.about}>
      <div className={styles.sender}>
        {FORMATS.map((format) => (
          <CheckField
            key={format}
            label={texts.names[format]}
            value={chosen.includes(format)}
            onChange={(isChosen) =>
              setChosen((before) =>
                isChosen ? [...before, format] : before.filter((other) => other !== format),
              )
            }
          />
        ))}
        {call.error && <ErrorPanel error={call.error} />}
        <div>
          <Button onClick={save} isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </div>
    </Section>
  );
}
