import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { usePagedTool } from '../../api/use-paged-tool.ts';
import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/state.tsx';
import { PagedTable } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { type Snippet, deletedRow, snippetPage, snippetResult } from './template.readers.ts';
import styles from './templates.module.css';

const ROWS = 20;

/** Lists, adds, changes and deletes the pieces of text that templates include. */
export function SnippetsSection() {
  const texts = useTexts(templatesTexts).snippets;
  const query = usePagedTool('list_snippets', { limit: ROWS }, snippetPage);
  const [edited, setEdited] = useState<{ snippet: Snippet | undefined }>();
  const removal = useRemoval(
    'delete_snippet',
    deletedRow,
    ['list_snippets'],
    texts.deleted,
    ({ id }: Snippet) => ({ snippet_id: id }),
  );
  return (
    <Section title={texts.title} about={texts.about}>
      <div className={styles.row}>
        <Button onClick={() => setEdited({ snippet: undefined })}>{texts.add}</Button>
      </div>
      <PagedTable
        label={texts.title}
        query={query}
        rows={query.data?.snippets}
        keyOf={({ id }) => id}
        columns={[
          { name: texts.name, cell: ({ name }) => name },
          {
            name: texts.actions,
            cell: (snippet) => (
              <span className={styles.row}>
                <Button size="small" onClick={() => setEdited({ snippet })}>
                  {texts.change}
                  <span className="hidden-visually"> {snippet.name}</span>
                </Button>
                <Button size="small" onClick={() => removal.ask(snippet)}>
                  {texts.delete}
                  <span className="hidden-visually"> {snippet.name}</span>
                </Button>
              </span>
            ),
          },
        ]}
        empty={<EmptyState title={texts.none}>{texts.noneAbout}</EmptyState>}
      />
      {edited && <SnippetDialog snippet={edited.snippet} onClose={() => setEdited(undefined)} />}
      <ConfirmDialog
        {...removal.dialog}
        title={texts.deleteTitle(removal.asked?.name ?? '')}
        description={texts.deleteText}
        action={texts.delete}
      />
    </Section>
  );
}

function SnippetDialog({
  snippet,
  onClose,
}: {
  snippet: Snippet | undefined;
  onClose: () => void;
}) {
  const texts = useTexts(templatesTexts).snippets;
  const { cancel } = useTexts(uiTexts);
  const toast = useToast();
  const tool = snippet ? 'update_snippet' : 'create_snippet';
  const call = useToolCall(tool, snippetResult, ['list_snippets']);
  const [name, setName] = useState(snippet?.name ?? '');
  const [content, setContent] = useState(snippet?.content ?? '');
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (field: string): string | undefined =>
    faults.find(({ path }) => path === field)?.message;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (call.isPending) return;
    call.mutate(
      { ...(snippet && { snippet_id: snippet.id }), name: name.trim(), content },
      {
        onSuccess: () => {
          toast(texts.saved);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog isOpen isWide onClose={onClose} title={snippet ? snippet.name : texts.add}>
      <form className={styles.form} noValidate onSubmit={submit}>
        <TextField
          label={texts.name}
          description={texts.nameAbout}
          autoComplete="off"
          spellCheck={false}
          fault={faultOf('name')}
          value={name}
          onChange={setName}
        />
        <TextAreaField
          label={texts.content}
          isCode
          rows={8}
          fault={faultOf('content')}
          value={content}
          onChange={setContent}
        />
        {call.error && <ErrorPanel error={call.error} shownPaths={['name', 'content']} />}
        <div className={styles.row}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="primary" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
