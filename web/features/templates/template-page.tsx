import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, Page, backClass } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useToast } from '../../ui/toast.tsx';
import { UnloadedPage } from '../../ui/unloaded-page.tsx';
import { TemplateEditor } from './template-editor.tsx';
import { TemplateHistory } from './template-history.tsx';
import { TemplatePreview } from './template-preview.tsx';
import { deletedRow, templateResult } from './template.readers.ts';

/** Shows a template: its draft, a preview, and its versions. */
export function TemplatePage() {
  const { templateId } = useParams({ from: '/signed-in/templates/$templateId' });
  return <OneTemplate key={templateId} templateId={templateId} />;
}

function OneTemplate({ templateId }: { templateId: string }) {
  const texts = useTexts(templatesTexts);
  const toast = useToast();
  const navigate = useNavigate();
  const query = useTool('get_template', { template_id: templateId }, templateResult);
  const remove = useToolCall('delete_template', deletedRow, ['list_templates']);
  const [view, setView] = useState<'draft' | 'preview' | 'history'>('draft');
  const [isDeleting, setDeleting] = useState(false);
  // The form keeps the typed text while other people change the draft. Only a restored version replaces it.
  const [restored, setRestored] = useState(0);
  const back = (
    <Link to="/templates" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  const template = query.data?.template;
  if (!template) return <UnloadedPage title={texts.one} back={back} query={query} />;
  return (
    <Page
      title={template.name}
      back={back}
      actions={
        <Button look="danger" onClick={() => setDeleting(true)}>
          {texts.delete}
        </Button>
      }
    >
      <Facts
        facts={[
          [texts.version, template.version === null ? texts.unpublished : String(template.version)],
          [texts.description, template.description],
        ]}
      />
      <Tabs
        label={texts.one}
        value={view}
        onChange={setView}
        tabs={[
          {
            value: 'draft',
            label: texts.draft,
            content: <TemplateEditor key={restored} template={template} />,
          },
          {
            value: 'preview',
            label: texts.preview.title,
            content: <TemplatePreview template={template} />,
          },
          {
            value: 'history',
            label: texts.history.title,
            content: (
              <TemplateHistory
                template={template}
                onRestored={() => {
                  setRestored(restored + 1);
                  setView('draft');
                }}
              />
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => {
          setDeleting(false);
          remove.reset();
        }}
        title={texts.deleteTitle(template.name)}
        description={texts.deleteText}
        action={texts.delete}
        isDangerous
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(
            { template_id: template.id },
            {
              onSuccess: () => {
                toast(texts.deleted);
                void navigate({ to: '/templates' });
              },
            },
          )
        }
      />
    </Page>
  );
}
