import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { workflowsTexts } from '../../texts/workflows.texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { triggerName } from './trigger-name.ts';
import { workflowPage } from './workflow.readers.ts';
import styles from './workflows.module.css';

const ROWS = 50;

/** Shows the workflows, the newest first. */
export function WorkflowsPage() {
  const texts = useTexts(workflowsTexts);
  const { active } = useSearch({ from: '/signed-in/workflows' });
  const navigate = useNavigate();
  const query = usePagedTool('list_workflows', { active, limit: ROWS }, workflowPage);
  const choose = (value: string): void =>
    void navigate({ to: '/workflows', search: value ? { active: value === 'true' } : {} });
  const create = (
    <Link to="/workflows/new" className={buttonClass({ look: 'primary' })}>
      {texts.new}
    </Link>
  );
  return (
    <Page title={texts.title} about={texts.about} actions={create}>
      <div className={styles.filter}>
        <SelectField
          label={texts.state}
          value={active === undefined ? '' : String(active)}
          options={[
            { value: '', label: texts.every },
            { value: 'true', label: texts.active },
            { value: 'false', label: texts.inactive },
          ]}
          onChange={choose}
        />
      </div>
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.workflows}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.name,
            cell: (workflow) => (
              <Link to="/workflows/$workflowId" params={{ workflowId: workflow.id }}>
                <ForeignText text={workflow.name} />
              </Link>
            ),
          },
          { name: texts.state, cell: (workflow) => <ActiveBadge isActive={workflow.active} /> },
          { name: texts.trigger, cell: ({ trigger }) => triggerName(trigger, texts.triggers) },
          { name: texts.steps, cell: ({ steps }) => steps.length },
          { name: texts.version, cell: ({ version }) => version },
          { name: texts.changed, cell: ({ updated_at: at }) => <Time value={at} /> },
        ]}
        empty={
          active === undefined ? (
            <EmptyState title={texts.none} actions={create}>
              {texts.noneAbout}
            </EmptyState>
          ) : (
            <EmptyState
              title={texts.noMatch}
              actions={<Button onClick={() => choose('')}>{texts.every}</Button>}
            >
              {texts.noMatchAbout}
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

export function ActiveBadge({ isActive }: { isActive: boolean }) {
  const texts = useTexts(workflowsTexts);
  return (
    <Badge tone={isActive ? 'good' : 'calm'}>{isActive ? texts.active : texts.inactive}</Badge>
  );
}
