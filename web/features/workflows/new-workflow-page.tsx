import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { EXAMPLES, NOTHING } from './examples.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { triggerName } from './trigger-name.ts';
import { savedWorkflow } from './workflow.readers.ts';
import styles from './workflows.module.css';

type Trigger = Readonly<Record<string, unknown>>;

/** Shows example workflows that a person can copy. The new workflow is inactive until a person activates it. */
export function NewWorkflowPage() {
  const texts = useTexts(workflowsTexts);
  const navigate = useNavigate();
  const create = useToolCall('create_workflow', savedWorkflow, ['list_workflows']);
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const open = (workflowId: string): void =>
    void navigate({ to: '/workflows/$workflowId', params: { workflowId } });
  const begin = (name: string, { trigger, steps }: { trigger: Trigger; steps: object }): void =>
    create.mutate(
      { name, trigger, steps, active: false },
      {
        onSuccess: ({ workflow, secret }) => {
          // A person replaces the secret of the example with the secret of the provider, so the example's secret is not
          // shown.
          if (secret !== null && trigger.secret === true) setMade({ id: workflow.id, secret });
          else open(workflow.id);
        },
      },
    );
  const cards = [
    ...EXAMPLES.map((example) => ({
      key: example.name,
      ...texts.examples[example.name],
      content: example,
    })),
    {
      key: 'nothing',
      title: texts.gallery.nothing,
      about: texts.gallery.nothingAbout,
      content: NOTHING,
    },
  ];
  return (
    <Page
      title={texts.gallery.title}
      about={texts.gallery.about}
      back={
        <Link to="/workflows" className={backClass}>
          <Icon name="chevronLeft" />
          {texts.all}
        </Link>
      }
    >
      {create.error && <ErrorPanel error={create.error} />}
      <ul className={styles.gallery}>
        {cards.map(({ key, title, about, content }) => (
          <li key={key} className={styles.card}>
            <h2>{title}</h2>
            <p className={styles.soft}>{about}</p>
            <p className={styles.small}>{triggerName(content.trigger, texts.triggers)}</p>
            <Button
              size="small"
              isBusy={create.isPending}
              aria-label={texts.gallery.createOf(title)}
              onClick={() => begin(key === 'nothing' ? texts.gallery.title : title, content)}
            >
              {texts.gallery.create}
            </Button>
          </li>
        ))}
      </ul>
      {made && <SecretDialog secret={made.secret} onClose={() => open(made.id)} />}
    </Page>
  );
}
