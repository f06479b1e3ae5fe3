import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Section } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TemplateWarnings } from './template-warnings.tsx';
import { fromDraft, toDraft } from './template-draft.ts';
import {
  type Placed,
  TEMPLATE_TOOLS,
  type Template,
  publishedTemplate,
  templateResult,
} from './template.readers.ts';
import styles from './templates.module.css';
import { VariableFields } from './variable-fields.tsx';
import { VariantsFields } from './variants-fields.tsx';

/** Edits the draft of a template, saves it and publishes it. Faults are shown at the texts that have them. */
export function TemplateEditor({ template }: { template: Template }) {
  const texts = useTexts(templatesTexts);
  const toast = useToast();
  const [draft, setDraft] = useState(() => toDraft(template));
  const [base, setBase] = useState(template.draft_version);
  const [warnings, setWarnings] = useState<readonly Placed[]>([]);
  const save = useToolCall('update_template', templateResult, TEMPLATE_TOOLS);
  const publish = useToolCall('publish_template', publishedTemplate, TEMPLATE_TOOLS);
  const error = save.error ?? publish.error;
  const faults = error instanceof ApiError ? error.faults : [];
  const faultOf = (path: string): string | undefined => {
    const found = faults.filter((fault) => fault.path === path);
    return found.length > 0 ? found.map(({ message }) => message).join(' · ') : undefined;
  };
  const isBusy = save.isPending || publish.isPending;
  const store = (onSaved: (version: number) => void): void => {
    if (isBusy) return;
    publish.reset();
    setWarnings([]);
    const given = { template_id: template.id, expected_version: base, ...fromDraft(draft) };
    save.mutate(given, {
      onSuccess: ({ template: { draft_version: version } }) => {
        setBase(version);
        onSaved(version);
      },
    });
  };
  const publishIt = (version: number): void =>
    publish.mutate(
      { template_id: template.id, expected_version: version },
      {
        onSuccess: (result) => {
          setWarnings(result.warnings);
          toast(texts.published(result.template.version ?? 0));
        },
      },
    );
  return (
    <div className={styles.form}>
      <Section title={texts.variables.title} about={texts.variables.about}>
        <VariableFields
          variables={draft.variables}
          faultOf={faultOf}
          onChange={(variables) => setDraft({ ...draft, variables })}
        />
      </Section>
      <Section title={texts.variants.title} about={texts.variants.about}>
        <VariantsFields
          variants={draft.variants}
          faultOf={faultOf}
          onChange={(variants) => setDraft({ ...draft, variants })}
        />
      </Section>
      {error && <ErrorPanel error={error} />}
      <TemplateWarnings title={texts.warnings} warnings={warnings} />
      <div className={styles.row}>
        <Button isBusy={save.isPending} onClick={() => store(() => toast(texts.saved))}>
          {texts.save}
        </Button>
        <Button look="primary" isBusy={isBusy} onClick={() => store(publishIt)}>
          {texts.publish}
        </Button>
      </div>
    </div>
  );
}
