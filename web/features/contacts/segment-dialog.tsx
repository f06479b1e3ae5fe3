import { type FormEvent, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { segmentsTexts } from '../../texts/segments.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import type { ContactFilter } from './contact-filters.ts';
import styles from './contacts.module.css';
import { SEGMENT_KINDS, SEGMENT_TOOLS, type Segment, segmentResult } from './segment.readers.ts';

interface SegmentDialogProps {
  /** The stored segment. Undefined for a new one. */
  segment?: Segment;
  /** The conditions of the new segment. Without conditions, the person chooses its kind. */
  filters?: readonly ContactFilter[];
  onDone: (segment: Segment) => void;
  onClose: () => void;
}

/** Shows the form for the name and the description of a segment, and for the kind of a new one. */
export function SegmentDialog({ segment, filters, onDone, onClose }: SegmentDialogProps) {
  const texts = useTexts(segmentsTexts);
  const { cancel } = useTexts(uiTexts);
  const tool = segment ? 'update_segment' : 'create_segment';
  const call = useToolCall(tool, segmentResult, SEGMENT_TOOLS);
  const [name, setName] = useState(segment?.name ?? '');
  const [description, setDescription] = useState(segment?.description ?? '');
  const [kind, setKind] = useState<string>('dynamic');
  const faults = call.error instanceof ApiError ? call.error.faults : [];
  const faultOf = (field: string): string | undefined =>
    faults.find(({ path }) => path === field)?.message;
  const created = { filters: filters ?? (kind === 'dynamic' ? [] : undefined) };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (call.isPending) return;
    const given = { name, description, ...(segment ? { segment_id: segment.id } : created) };
    call.mutate(given, { onSuccess: (answer) => onDone(answer.segment) });
  };
  const chosen = SEGMENT_KINDS.find((one) => one === kind);
  return (
    <Dialog isOpen onClose={onClose} title={segment ? segment.name : texts.add}>
      <form className={styles.settings} noValidate onSubmit={submit}>
        <TextField
          label={texts.name}
          autoComplete="off"
          fault={faultOf('name')}
          value={name}
          onChange={setName}
        />
        <TextAreaField
          label={texts.description}
          rows={2}
          fault={faultOf('description')}
          value={description}
          onChange={setDescription}
        />
        {!segment && !filters && (
          <SelectField
            label={texts.kind}
            description={chosen && texts.kindsAbout[chosen]}
            options={SEGMENT_KINDS.map((value) => ({ value, label: texts.kinds[value] }))}
            value={kind}
            onChange={setKind}
          />
        )}
        {call.error && <ErrorPanel error={call.error} shownPaths={['name', 'description']} />}
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
