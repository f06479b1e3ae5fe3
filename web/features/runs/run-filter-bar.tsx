import { type FormEvent, useState } from 'react';
import { useTexts } from '../../texts/language.tsx';
import { runReasonsTexts } from '../../texts/run-reasons.texts.ts';
import { runsTexts } from '../../texts/runs.texts.ts';
import { statusTexts } from '../../texts/status.texts.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { toLocalTime } from '../../ui/local-time.ts';
import { RUN_STATUSES, RUN_TRIGGERS, type RunFilters, readRunFilters } from './run-filters.ts';
import { reasonOptions } from './run-reason.ts';
import styles from './runs.module.css';

interface BarProps {
  filters: RunFilters;
  workflows: ReadonlyMap<string, string>;
  /** The reasons of the listed runs. The filter by reason offers these reasons too. */
  reasons: readonly string[];
  onChange: (filters: RunFilters) => void;
}

/**
 * Shows the filters of the list of runs. A choice applies immediately. A typed text applies when the person presses the
 * button.
 */
export function RunFilterBar({ filters, workflows, reasons, onChange }: BarProps) {
  const texts = useTexts(runsTexts);
  const states = useTexts(statusTexts);
  const groups = texts.filter;
  const change = (part: Readonly<Record<string, unknown>>): void =>
    onChange(readRunFilters({ ...filters, ...part }));
  const chosen = filters.workflow_id;
  const names = new Map(workflows);
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, chosen);
  return (
    <div className={styles.filters}>
      <div className={styles.choices}>
        <SelectField
          label={texts.status}
          value={filters.status ?? ''}
          options={[
            { value: '', label: groups.anyStatus },
            ...RUN_STATUSES.map((value) => ({
              value,
              label: value === 'unfinished' || value === 'finished' ? groups[value] : states[value],
            })),
          ]}
          onChange={(status) => change({ status })}
        />
        <SelectField
          label={texts.workflow}
          value={chosen ?? ''}
          options={[
            { value: '', label: groups.anyWorkflow },
            ...[...names].map(([value, label]) => ({ value, label })),
          ]}
          onChange={(id) => change({ workflow_id: id })}
        />
        <SelectField
          label={texts.trigger}
          value={filters.trigger_type ?? ''}
          options={[
            { value: '', label: groups.anyTrigger },
            ...RUN_TRIGGERS.map((value) => ({ value, label: texts.triggers[value] })),
          ]}
          onChange={(type) => change({ trigger_type: type })}
        />
      </div>
      <MoreFilters
        key={JSON.stringify(filters)}
        filters={filters}
        shown={reasons}
        onChange={change}
      />
    </div>
  );
}

function MoreFilters({
  filters,
  shown,
  onChange,
}: {
  filters: RunFilters;
  shown: readonly string[];
  onChange: (part: Readonly<Record<string, unknown>>) => void;
}) {
  const { filter: texts, reason: label } = useTexts(runsTexts);
  const words = useTexts(runReasonsTexts);
  const [contact, setContact] = useState(filters.contact_id ?? '');
  const [reason, setReason] = useState(filters.reason ?? '');
  const [after, setAfter] = useState(toLocalTime(filters.created_after));
  const [before, setBefore] = useState(toLocalTime(filters.created_before));
  const isUsed = [contact, reason, after, before].some((value) => value !== '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // A time without a time zone means the time zone of the person.
    onChange({ contact_id: contact, reason, created_after: after, created_before: before });
  };
  return (
    <details open={isUsed || undefined}>
      <summary className={styles.summary}>{texts.more}</summary>
      <form className={styles.choices} onSubmit={submit}>
        <TextField label={texts.contact} value={contact} onChange={setContact} maxLength={64} />
        <SelectField
          label={label}
          value={reason}
          options={reasonOptions(words, [...shown, reason])}
          onChange={setReason}
        />
        <TextField type="datetime-local" label={texts.after} value={after} onChange={setAfter} />
        <TextField type="datetime-local" label={texts.before} value={before} onChange={setBefore} />
        <div className={styles.apply}>
          <Button type="submit">{texts.apply}</Button>
        </div>
      </form>
    </details>
  );
}
