import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { topicChoices } from '../../api/choices.ts';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { sendMessageTexts } from '../../texts/send-message.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page, backClass } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { AttachmentsField } from './attachments-field.tsx';
import { messageResult } from './message.readers.ts';
import styles from './messages.module.css';
import { EMPTY_DRAFT, type SendDraft, toMessage } from './send-draft.ts';
import { templateChoices, templateToSend } from './send.readers.ts';
import { useChannels } from './use-channels.ts';

const MOST_CHOICES = 100;
/** The arguments that have a field in the form. A fault of such an argument is shown at its field. */
const FIELDS = new Set([
  'contact_id',
  'email',
  'phone',
  'channel',
  'topic',
  'template_id',
  'variables',
  'subject',
  'body',
  'attachments',
]);

/** Sends a message to one contact: a published template, or a text that the person writes. */
export function SendMessagePage() {
  const texts = useTexts(sendMessageTexts);
  const { all, channel: channelLabel } = useTexts(messagesTexts);
  const { contact = '' } = useSearch({ from: '/signed-in/messages/new' });
  const navigate = useNavigate();
  const toast = useToast();
  const [draft, setDraft] = useState<SendDraft>({ ...EMPTY_DRAFT, recipient: contact });
  const change = (changes: Partial<SendDraft>): void => setDraft({ ...draft, ...changes });
  const channels = useChannels();
  const hasSubject = channels.some((each) => each.value === draft.channel && each.hasSubject);
  const templates = useTool('list_templates', { limit: MOST_CHOICES }, templateChoices);
  const published = templates.data?.templates.filter(({ version }) => version !== null) ?? [];
  const topics = useTool('list_topics', {}, topicChoices).data?.topics ?? [];
  const chosen = useTool(
    'get_template',
    { template_id: draft.templateId },
    templateToSend,
    draft.templateId !== '',
  );
  const send = useToolCall('send_message', messageResult, ['list_messages', 'count_messages']);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (send.isPending) return;
    send.mutate(toMessage(draft, chosen.data?.template, hasSubject), {
      onSuccess: ({ message: { id } }) => {
        toast(texts.sent);
        void navigate({ to: '/messages/$messageId', params: { messageId: id } });
      },
    });
  };
  const faults =
    send.error instanceof ApiError
      ? send.error.faults.filter(({ path }) => FIELDS.has(argumentOf(path)))
      : [];
  // The fault is shown at the field of the recipient, so a panel would repeat it.
  const isUnknownRecipient =
    send.error instanceof ApiError && send.error.code === 'not_found' && faults.length > 0;
  const faultOf = (...names: string[]): string | undefined =>
    faults.find(({ path }) => names.includes(argumentOf(path)))?.message;
  return (
    <Page
      title={texts.title}
      about={texts.about}
      back={
        <Link to="/messages" className={backClass}>
          <Icon name="chevronLeft" />
          {all}
        </Link>
      }
    >
      <form className={styles.send} noValidate onSubmit={submit}>
        <TextField
          label={texts.recipient}
          description={texts.recipientAbout}
          fault={faultOf('contact_id', 'email', 'phone')}
          autoComplete="off"
          spellCheck={false}
          value={draft.recipient}
          onChange={(recipient) => change({ recipient })}
        />
        <SelectField
          label={channelLabel}
          fault={faultOf('channel')}
          options={channels}
          value={draft.channel}
          onChange={(channel) => change({ channel })}
        />
        <SelectField
          label={texts.topic}
          description={texts.topicAbout}
          fault={faultOf('topic')}
          options={[
            { value: '', label: texts.noTopic },
            ...topics.map(({ name, title }) => ({ value: name, label: title })),
          ]}
          value={draft.topic}
          onChange={(topic) => change({ topic })}
        />
        <SelectField
          label={texts.template}
          fault={faultOf('template_id')}
          options={[
            { value: '', label: texts.written },
            ...published.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={draft.templateId}
          onChange={(templateId) => change({ templateId, typed: new Map() })}
        />
        {draft.templateId === '' ? (
          <WrittenFields
            draft={draft}
            hasSubject={hasSubject}
            faultOf={faultOf}
            onChange={change}
          />
        ) : (
          chosen.data?.template.variables.map(({ name, description, default: byDefault }) => (
            <TextField
              key={name}
              label={name}
              description={description}
              fault={faults.find(({ path }) => path === `variables.${name}`)?.message}
              isRequired={byDefault === undefined}
              autoComplete="off"
              value={draft.typed.get(name) ?? ''}
              onChange={(value) => change({ typed: new Map(draft.typed).set(name, value) })}
            />
          ))
        )}
        {chosen.error && <ErrorPanel error={chosen.error} />}
        {draft.channel === 'email' && (
          <AttachmentsField
            files={draft.files}
            fault={faultOf('attachments')}
            onChange={(files) => change({ files })}
          />
        )}
        {send.error && !isUnknownRecipient && (
          <ErrorPanel error={send.error} shownPaths={faults.map(({ path }) => path)} />
        )}
        <div>
          <Button type="submit" look="primary" isBusy={send.isPending}>
            {texts.send}
          </Button>
        </div>
      </form>
    </Page>
  );
}

function argumentOf(path: string): string {
  return path.split(/[.[]/)[0] ?? '';
}

interface WrittenFieldsProps {
  draft: SendDraft;
  hasSubject: boolean;
  faultOf: (name: string) => string | undefined;
  onChange: (changes: Partial<SendDraft>) => void;
}

function WrittenFields({ draft, hasSubject, faultOf, onChange }: WrittenFieldsProps) {
  const texts = useTexts(messagesTexts);
  return (
    <>
      {hasSubject && (
        <TextField
          label={texts.subject}
          fault={faultOf('subject')}
          value={draft.subject}
          onChange={(subject) => onChange({ subject })}
        />
      )}
      <TextAreaField
        label={texts.body}
        fault={faultOf('body')}
        rows={6}
        value={draft.body}
        onChange={(body) => onChange({ body })}
      />
    </>
  );
}
