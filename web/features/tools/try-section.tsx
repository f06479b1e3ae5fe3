import { useState } from 'react';
import { type ToolDescriptor, useToolCall } from '../../api/tools.ts';
import { json } from '../../api/reader.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { useTexts } from '../../texts/language.tsx';
import { toolsTexts } from '../../texts/tools.texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Section } from '../../ui/page.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import { EffectTable } from './effect-table.tsx';
import { dryRun } from './tool.readers.ts';
import styles from './tools.module.css';

/** Shows a form that calls a tool. For a tool that changes something, the dry run is chosen at first. */
export function TrySection({ tool }: { tool: ToolDescriptor }) {
  const texts = useTexts(toolsTexts);
  const { readOnlyHint: isReading, destructiveHint: isDestructive } = tool.annotations;
  const [isDry, setDry] = useState(!isReading);
  const [asked, setAsked] = useState<Record<string, unknown>>();
  const call = useToolCall(tool.name, json);
  const dry = useToolCall(tool.name, dryRun);
  const shown = isDry ? dry : call;
  const submit = (given: Record<string, unknown>): void => {
    if (isDry) dry.mutate({ ...given, dry_run: true });
    else if (isDestructive) setAsked(given);
    else call.mutate(given);
  };
  return (
    <Section title={texts.tryIt} about={texts.tryAbout}>
      {!isReading && (
        <CheckField
          label={texts.isDry}
          description={texts.isDryAbout}
          value={isDry}
          onChange={setDry}
        />
      )}
      <div className={styles.form}>
        <SchemaForm
          schema={tool.inputSchema}
          action={isDry ? texts.dryRun : texts.call}
          isBusy={shown.isPending}
          error={shown.error}
          onSubmit={submit}
        />
      </div>
      <div className={styles.result} aria-live="polite">
        {isDry && dry.data && <EffectTable outcome={dry.data} />}
        {isDry && dry.data && <TextViewer title={texts.result} value={dry.data.result} />}
        {!isDry && call.data !== undefined && <TextViewer title={texts.result} value={call.data} />}
      </div>
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={texts.callTitle(tool.name)}
        description={texts.callText}
        action={texts.call}
        isDangerous
        isBusy={call.isPending}
        onConfirm={() => {
          if (asked) call.mutate(asked, { onSettled: () => setAsked(undefined) });
        }}
      />
    </Section>
  );
}
