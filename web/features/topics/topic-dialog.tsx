import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { topicsTexts } from '../../texts/topics.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { type Topic, topicResult } from './topic.readers.ts';
import styles from './topics.module.css';

const FIELDS = ['name', 'title', 'description', 'default', 'double_opt_in'];

interface TopicDialogProps {
  /** The stored topic. Undefined for a new topic. */
  topic: Topic | undefined;
  onDone: () => void;
  onClose: () => void;
}

/** Shows the form of a topic. */
export function TopicDialog({ topic, onDone, onClose }: TopicDialogProps) {
  const texts = useTexts(topicsTexts);
  const { cancel } = useTexts(uiTexts);
  const tool = topic ? 'update_topic' : 'create_topic';
  const call = useToolCall(tool, topicResult, ['list_topics']);
  const [name, setName] = useState(topic?.name ?? '');
  const [title, setTitle] = useState(topic?.title ?? '');
  const [description, setDescription] = useState(topic?.description ?? '');
  const [byDefault, setDefault] = useState(topic?.default ?? 'opted_out');
  const [isConfirmed, setConfirmed] = useState(topic?.double_opt_in ?? false);
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (field: string): string | undefined =>
    faults.find(({ path }) => path === field)?.message;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (call.isPending) return;
    const about = description.trim();
    call.mutate(
      {
        name: name.trim(),
        title: title.trim(),
        ...((topic || about) && { description: about || null }),
        default: byDefault,
        double_opt_in: isConfirmed,
      },
      { onSuccess: onDone },
    );
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={topic ? texts.changeTitle(topic.name) : texts.add}
      isWide
    >
      <form className={styles.form} noValidate onSubmit={submit}>
        {!topic && (
          <TextField
            label={texts.name}
            description={texts.nameAbout}
            autoComplete="off"
            spellCheck={false}
            fault={faultOf('name')}
            value={name}
            onChange={setName}
          />
        )}
        <TextField
          label={texts.topicTitle}
          description={texts.titleAbout}
          autoComplete="off"
          fault={faultOf('title')}
          value={title}
          onChange={setTitle}
        />
        <TextAreaField
          label={texts.description}
          rows={3}
          fault={faultOf('description')}
          value={description}
          onChange={setDescription}
        />
        <SelectField
          label={texts.default}
          fault={faultOf('default')}
          options={(['opted_out', 'opted_in'] as const).map((value) => ({
            value,
            label: texts.defaults[value],
          }))}
          value={byDefault}
          onChange={setDefault}
        />
        <CheckField
          label={texts.doubleOptIn}
          description={texts.doubleOptInAbout}
          value={isConfirmed}
          onChange={setConfirmed}
        />
        {call.error && <ErrorPanel error={call.error} shownPaths={FIELDS.slice(0, 4)} />}
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
