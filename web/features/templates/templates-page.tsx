import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { SnippetsSection } from './snippets-section.tsx';
import { templatePage, templateResult } from './template.readers.ts';
import styles from './templates.module.css';

const ROWS = 50;

/** Lists the templates of messages and their snippets. */
export function TemplatesPage() {
  const texts = useTexts(templatesTexts);
  const [isAdding, setAdding] = useState(false);
  const query = usePagedTool('list_templates', { limit: ROWS }, templatePage);
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={
        <Button look="primary" onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.templates}
        keyOf={({ id }) => id}
        isLinked
        columns={[
          {
            name: texts.name,
            cell: ({ id, name }) => (
              <Link to="/templates/$templateId" params={{ templateId: id }}>
                <ForeignText text={name} />
              </Link>
            ),
          },
          {
            name: texts.version,
            cell: ({ version }) => (version === null ? texts.unpublished : String(version)),
          },
          { name: texts.locales, cell: ({ locales }) => locales.join(', ') },
          { name: texts.description, cell: ({ description }) => description },
          { name: texts.changed, cell: ({ updated_at: at }) => <Time value={at} /> },
        ]}
        empty={<EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      />
      <SnippetsSection />
      {isAdding && <NewTemplateDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}

function NewTemplateDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts(templatesTexts);
  const { cancel } = useTexts(uiTexts);
  const navigate = useNavigate();
  const call = useToolCall('create_template', templateResult, ['list_templates']);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (call.isPending) return;
    const about = description.trim();
    call.mutate(
      { name: name.trim(), ...(about && { description: about }) },
      {
        onSuccess: ({ template: { id } }) =>
          void navigate({ to: '/templates/$templateId', params: { templateId: id } }),
      },
    );
  };
  return (
    <Dialog isOpen onClose={onClose} title={texts.add}>
      <form className={styles.form} noValidate onSubmit={submit}>
        <TextField
          label={texts.name}
          description={texts.nameAbout}
          autoComplete="off"
          spellCheck={false}
          fault={faults.find(({ path }) => path === 'name')?.message}
          value={name}
          onChange={setName}
        />
        <TextField
          label={texts.description}
          isRequired={false}
          autoComplete="off"
          value={description}
          onChange={setDescription}
        />
        {call.error && <ErrorPanel error={call.error} shownPaths={['name']} />}
        <div className={styles.row}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="primary" isBusy={call.isPending}>
            {texts.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
