import { type FormEvent, useState } from 'react';
import { auditTexts } from '../../texts/audit.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useOutcomeOptions } from '../../ui/outcome-badge.tsx';
import { type AuditFilters, readAuditFilters } from './audit-filters.ts';
import styles from './audit.module.css';

interface FilterBarProps {
  filters: AuditFilters;
  onApply: (filters: AuditFilters) => void;
}

/** Shows the filters of the audit log. An entry must match all of them. */
export function AuditFilterBar({ filters, onApply }: FilterBarProps) {
  const texts = useTexts(auditTexts);
  const outcomes = useOutcomeOptions(texts.everyOutcome);
  const [draft, setDraft] = useState(filters);
  const field = (name: keyof AuditFilters) => ({
    value: draft[name] ?? '',
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onApply(readAuditFilters(draft));
  };
  return (
    <form className={styles.filters} onSubmit={submit}>
      <TextField label={texts.action} placeholder={texts.actionAbout} {...field('action')} />
      <SelectField label={texts.outcome} options={outcomes} {...field('outcome')} />
      <TextField label={texts.subject} {...field('subject')} />
      <TextField label={texts.caller} {...field('caller_id')} />
      <TextField type="date" label={texts.from} {...field('from')} />
      <TextField type="date" label={texts.until} {...field('until')} />
      <div className={styles.buttons}>
        <Button type="submit">{texts.apply}</Button>
        {Object.keys(filters).length > 0 && (
          <Button look="plain" onClick={() => onApply({})}>
            {texts.clear}
          </Button>
        )}
      </div>
    </form>
  );
}
