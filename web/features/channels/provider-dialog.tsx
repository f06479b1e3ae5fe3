import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { channelsTexts } from '../../texts/channels.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Provider, providerResult } from './channel.readers.ts';
import styles from './channels.module.css';
import { type KindChoice, draftOf, toArguments } from './provider-draft.ts';

interface ProviderDialogProps {
  /** The stored provider. Undefined for a new one. */
  provider: Provider | undefined;
  choices: readonly KindChoice[];
  onDone: () => void;
  onClose: () => void;
}

/** Shows the form of a provider, with the settings of its kind. A stored secret can be replaced, but not read. */
export function ProviderDialog({ provider, choices, onDone, onClose }: ProviderDialogProps) {
  const texts = useTexts(channelsTexts);
  const { cancel } = useTexts(uiTexts);
  const tool = provider ? 'update_channel_provider' : 'create_channel_provider';
  const call = useToolCall(tool, providerResult, ['list_channel_providers', 'list_channels']);
  const [draft, setDraft] = useState(() => draftOf(provider, choices));
  const kind = choices.find(({ value }) => value === draft.choice)?.kind;
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (at: string) => faults.find(({ path }) => path === at)?.message;
  const set = (part: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...part }));
  const settings = kind?.settings ?? [];
  const shown = [
    'name',
    'secret',
    'priority',
    'per_second',
    ...settings.map(({ name }) => `settings.${name}`),
  ];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    call.mutate(toArguments(draft, choices, provider?.id), { onSuccess: onDone });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={provider ? texts.change(provider.name) : texts.add}
      isWide
    >
      <form className={styles.form} noValidate onSubmit={submit}>
        {!provider && (
          <SelectField
            label={texts.kind}
            options={choices}
            value={draft.choice}
            onChange={(choice) => set({ choice })}
          />
        )}
        <TextField
          label={texts.name}
          isRequired={false}
          autoComplete="off"
          value={draft.name}
          onChange={(name) => set({ name })}
          fault={faultOf('name')}
        />
        {settings.map(({ name, title, is_required: isRequired, default: standard }) => (
          <TextField
            key={name}
            label={title}
            description={standard === null ? undefined : texts.standard(standard)}
            isRequired={isRequired ? undefined : false}
            autoComplete="off"
            spellCheck={false}
            value={draft.settings[name] ?? ''}
            onChange={(value) => set({ settings: { ...draft.settings, [name]: value } })}
            fault={faultOf(`settings.${name}`)}
          />
        ))}
        <TextField
          type="password"
          label={kind?.secret_title ?? texts.secret}
          description={provider ? texts.secretKept : texts.secretAbout}
          isRequired={provider ? false : undefined}
          autoComplete="off"
          value={draft.secret}
          onChange={(secret) => set({ secret })}
          fault={faultOf('secret')}
        />
        <TextField
          label={texts.priority}
          description={texts.priorityAbout}
          isRequired={false}
          inputMode="numeric"
          value={draft.priority}
          onChange={(priority) => set({ priority })}
          fault={faultOf('priority')}
        />
        <TextField
          label={texts.perSecond}
          description={texts.perSecondAbout}
          isRequired={false}
          inputMode="numeric"
          value={draft.perSecond}
          onChange={(perSecond) => set({ perSecond })}
          fault={faultOf('per_second')}
        />
        {call.error && (
          <ErrorPanel
            error={call.error}
            shownPaths={faults.map(({ path }) => path).filter((path) => shown.includes(path))}
          />
        )}
        <div className={styles.actions}>
          <Button onClick={onClose}>{cancel}</Button>
          <Button type="submit" look="primary" isBusy={call.isPending}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
