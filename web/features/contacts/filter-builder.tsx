import { type FormEvent, useState } from 'react';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import {
  CONSENT_STATUSES,
  type ContactFilter,
  FIELD_OPERATORS,
  isListOperator,
  type Operator,
  needsValue,
  readFilterValue,
  showFilterValue,
  valueKindOf,
} from './contact-filters.ts';
import styles from './contacts.module.css';
import { SegmentValue } from './segment-value.tsx';

interface Row {
  id: number;
  /** The field of the condition, a key of `FIELD_OPERATORS`. */
  field: string;
  property: string;
  operator: Operator;
  value: string;
}

const PROPERTIES = 'properties.';
/**
 * Matches a day without a time. A filter in the URL of the page can have a time. Such a value is edited as text,
 * because a date field cannot show a time.
 */
const DAY = /^\d{4}-\d\d-\d\d$/;
let lastId = 0;

function rowOf({ field, operator, value }: ContactFilter): Row {
  lastId += 1;
  const isProperty = field.startsWith(PROPERTIES);
  return {
    id: lastId,
    field: isProperty ? PROPERTIES : field,
    property: isProperty ? field.slice(PROPERTIES.length) : '',
    operator,
    value: showFilterValue(field, value),
  };
}

function filterOf({ field, property, operator, value }: Row): ContactFilter {
  const name = field === PROPERTIES ? PROPERTIES + property.trim() : field;
  const isConsent = valueKindOf(field, operator) === 'consent';
  const read = readFilterValue(name, operator, isConsent ? value || CONSENT_STATUSES[0] : value);
  return { field: name, operator, ...(read !== undefined && { value: read }) };
}

/** Edits conditions. Changed conditions take effect when the person presses the button. */
export function FilterBuilder({
  filters,
  onApply,
  action,
}: {
  filters: readonly ContactFilter[];
  /**
   * The text of the button. When it is set, the button is always visible, and removing the last condition also takes
   * effect only after a press of the button.
   */
  action?: string;
  onApply: (filters: ContactFilter[]) => void;
}) {
  const { filters: texts } = useTexts(contactsTexts);
  const [rows, setRows] = useState(() => filters.map(rowOf));
  const change = (id: number, part: Partial<Row>): void =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const remove = (id: number): void => {
    const rest = rows.filter((row) => row.id !== id);
    setRows(rest);
    if (rest.length === 0 && action === undefined) onApply([]);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onApply(rows.map(filterOf));
  };
  return (
    <form className={styles.filters} onSubmit={submit} aria-label={texts.label}>
      {rows.map((row) => {
        const operators = FIELD_OPERATORS.get(row.field) ?? [];
        return (
          <div key={row.id} className={styles.filter}>
            <SelectField
              label={texts.field}
              value={row.field}
              options={[...FIELD_OPERATORS.keys()].map((value) => ({
                value,
                label: value === PROPERTIES ? `${PROPERTIES}…` : value,
              }))}
              onChange={(field) => {
                const known = FIELD_OPERATORS.get(field) ?? [];
                const operator = known.includes(row.operator) ? row.operator : known[0];
                change(row.id, { field, value: '', ...(operator && { operator }) });
              }}
            />
            {row.field === PROPERTIES && (
              <TextField
                label={texts.property}
                value={row.property}
                isRequired
                onChange={(property) => change(row.id, { property })}
              />
            )}
            <SelectField
              label={texts.operator}
              value={row.operator}
              options={operators.map((value) => ({ value, label: texts.operators[value] }))}
              onChange={(value) => {
                const operator = operators.find((each) => each === value);
                if (operator) change(row.id, { operator });
              }}
            />
            {needsValue(row.operator) && (
              <ValueField row={row} onChange={(value) => change(row.id, { value })} />
            )}
            <IconButton icon="trash" label={texts.remove} onClick={() => remove(row.id)} />
          </div>
        );
      })}
      <div className={styles.row}>
        <Button
          size="small"
          onClick={() =>
            setRows([...rows, rowOf({ field: 'email', operator: 'contains', value: '' })])
          }
        >
          {texts.add}
        </Button>
        {(rows.length > 0 || action !== undefined) && (
          <Button size="small" look="primary" type="submit">
            {action ?? texts.apply}
          </Button>
        )}
      </div>
    </form>
  );
}

function ValueField({ row, onChange }: { row: Row; onChange: (value: string) => void }) {
  const { filters: texts } = useTexts(contactsTexts);
  const kind = valueKindOf(row.field, row.operator);
  if (kind === 'consent') {
    return (
      <SelectField
        label={texts.value}
        value={row.value || CONSENT_STATUSES[0]}
        options={CONSENT_STATUSES.map((value) => ({ value, label: texts.consent[value] }))}
        onChange={onChange}
      />
    );
  }
  if (kind === 'segment') {
    return <SegmentValue label={texts.value} value={row.value} onChange={onChange} />;
  }
  const isList = isListOperator(row.operator);
  return (
    <TextField
      label={texts.value}
      type={kind === 'day' && (row.value === '' || DAY.test(row.value)) ? 'date' : 'text'}
      title={isList ? texts.listAbout : row.field === PROPERTIES ? texts.quoteAbout : undefined}
      value={row.value}
      isRequired
      onChange={onChange}
    />
  );
}
