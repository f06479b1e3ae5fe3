import { type FormEvent, useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { readTyped } from '../../forms/typed-values.ts';
import { useTexts } from '../../texts/language.tsx';
import { templatesTexts } from '../../texts/templates.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ContactPicker } from '../../ui/contact-picker.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Facts } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TemplateWarnings } from './template-warnings.tsx';
import { type Template, sentTest, templatePreview } from './template.readers.ts';
import styles from './templates.module.css';

/** Shows the saved draft as a contact would get it, and sends it to the person. */
export function TemplatePreview({ template }: { template: Template }) {
  const { preview: texts } = useTexts(templatesTexts);
  const toast = useToast();
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [shown, setShown] = useState({ contact_id: '', locale: '', typed });
  const variables = readTyped(template.variables, shown.typed);
  const target = {
    ...(shown.contact_id && { contact_id: shown.contact_id }),
    ...(shown.locale && { locale: shown.locale }),
  };
  const given = { ...target, ...(variables && { variables }) };
  const query = useTool(
    'preview_template',
    { template_id: template.id, ...given },
    templatePreview,
  );
  const send = useToolCall('send_template_test', sentTest, ['list_messages']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setShown({ ...shown, typed });
  };
  const locales = Object.keys(template.variants);
  const preview = query.data;
  // The number in the address makes the frame reload after a change of the draft.
  const search = new URLSearchParams({
    ...target,
    ...(variables && { variables: JSON.stringify(variables) }),
    draft: String(template.draft_version),
  });
  return (
    <div className={styles.form}>
      <form className={styles.form} noValidate onSubmit={submit}>
        <div className={styles.choices}>
          <SelectField
            label={texts.locale}
            options={[
              { value: '', label: texts.ofContact },
              ...locales.map((value) => ({ value, label: value })),
            ]}
            value={shown.locale}
            onChange={(locale) => setShown({ ...shown, locale })}
          />
          <ContactPicker
            label={texts.contact}
            description={texts.contactAbout}
            onChoose={(contactId = '') => setShown({ ...shown, contact_id: contactId })}
          />
          {template.variables.map(({ name, description }) => (
            <TextField
              key={name}
              label={name}
              description={description}
              isRequired={false}
              autoComplete="off"
              value={typed.get(name) ?? ''}
              onChange={(value) => setTyped(new Map(typed).set(name, value))}
            />
          ))}
        </div>
        <div className={styles.row}>
          <Button type="submit">{texts.show}</Button>
          <Button
            isBusy={send.isPending}
            onClick={() =>
              send.mutate(
                { template_id: template.id, ...given },
                { onSuccess: ({ to, status }) => toast(texts.tested(to, status)) },
              )
            }
          >
            {texts.test}
          </Button>
        </div>
      </form>
      {send.error && <ErrorPanel error={send.error} />}
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={4} />}
      {preview && !query.error && (
        <>
          <Facts
            facts={[
              [texts.chosen, preview.email?.locale ?? preview.sms?.locale],
              [texts.subject, preview.email?.subject],
              [texts.missing, preview.missing.join(', ')],
            ]}
          />
          <TemplateWarnings title={texts.faults} warnings={preview.faults} />
          <TemplateWarnings title={texts.warnings} warnings={preview.warnings} />
          {preview.email?.html && (
            <iframe
              className={styles.frame}
              sandbox=""
              title={texts.frame}
              src={`/api/templates/${encodeURIComponent(template.id)}/preview?${search.toString()}`}
            />
          )}
          {preview.email && <TextViewer title={texts.text} value={preview.email.text} />}
          {preview.sms && <TextViewer title={texts.sms} value={preview.sms.text} />}
        </>
      )}
    </div>
  );
}
