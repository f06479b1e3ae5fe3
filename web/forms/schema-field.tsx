import { useTexts } from '../texts/language.tsx';
import { formTexts } from '../texts/form.texts.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { classNames } from '../ui/class-names.ts';
import { type FieldProps, SelectField, TextAreaField, TextField } from '../ui/field.tsx';
import { ForeignText } from '../ui/foreign-text.tsx';
import { type Draft, fieldKind, itemDraft } from './draft.ts';
import styles from './form.module.css';
import type { Schema } from './schema.ts';
import { useHint } from './use-hint.ts';

/** An argument whose `maxLength` is above this number gets a field for several lines. */
const LONG_TEXT = 300;

export interface SchemaFieldProps {
  /** The label that the field shows: the name or the title of the argument. */
  label: string;
  path: string;
  schema: Schema;
  draft: Draft;
  isRequired: boolean;
  /** Returns the fault at a path. */
  faultAt: (path: string) => string | undefined;
  onChange: (draft: Draft) => void;
}

/** Shows the field of one argument, and the fields inside it. `fieldKind` decides which kind of field a schema gets. */
export function SchemaField(props: SchemaFieldProps) {
  const { draft } = props;
  if (draft.kind === 'group') return <GroupField {...props} members={draft.members} />;
  if (draft.kind === 'list') return <ListField {...props} items={draft.items} />;
  return <ScalarField {...props} text={draft.text} />;
}

function ScalarField(props: SchemaFieldProps & { text: string }) {
  const { label, path, schema, text, isRequired, faultAt, onChange } = props;
  const texts = useTexts(formTexts);
  const hint = useHint(schema);
  const common: FieldProps & { value: string; onChange: (text: string) => void } = {
    label: schema.title ?? label,
    description: hint,
    fault: faultAt(path),
    isRequired,
    value: text,
    onChange: (next) => onChange({ kind: 'text', text: next }),
  };
  switch (fieldKind(schema)) {
    case 'choice':
    case 'flag': {
      const values = schema.enum ?? [true, false];
      const name = (value: unknown): string =>
        typeof value === 'boolean' ? (value ? texts.yes : texts.no) : String(value);
      const absent =
        schema.default === undefined ? texts.choose : texts.chooseDefault(name(schema.default));
      const options = values.map((value) => ({ value: String(value), label: name(value) }));
      return <SelectField {...common} options={[{ value: '', label: absent }, ...options]} />;
    }
    case 'json':
      return <TextAreaField {...common} isCode rows={4} />;
    case 'number':
      return <TextField {...common} inputMode="decimal" autoComplete="off" />;
    default:
      return (schema.maxLength ?? 0) > LONG_TEXT ? (
        <TextAreaField {...common} rows={3} />
      ) : (
        <TextField {...common} autoComplete="off" />
      );
  }
}

function GroupField(props: SchemaFieldProps & { members: ReadonlyMap<string, Draft> }) {
  const { label, path, schema, members, faultAt, onChange } = props;
  const hint = useHint(schema);
  const fault = faultAt(path);
  return (
    <fieldset className={styles.group}>
      <legend>{schema.title ?? label}</legend>
      {hint && <p className={styles.about}>{hint}</p>}
      {fault && (
        <p className={styles.fault} role="alert">
          <ForeignText text={fault} />
        </p>
      )}
      {[...members].map(([name, draft]) => {
        const inner = schema.properties?.get(name);
        return (
          inner && (
            <SchemaField
              key={name}
              label={name}
              path={`${path}.${name}`}
              schema={inner}
              draft={draft}
              isRequired={schema.required.has(name)}
              faultAt={faultAt}
              onChange={(next) =>
                onChange({ kind: 'group', members: new Map(members).set(name, next) })
              }
            />
          )
        );
      })}
    </fieldset>
  );
}

function ListField(props: SchemaFieldProps & { items: readonly Draft[] }) {
  const { label, path, schema, items, faultAt, onChange } = props;
  const texts = useTexts(formTexts);
  const hint = useHint(schema);
  const fault = faultAt(path);
  const change = (next: readonly Draft[]): void => onChange({ kind: 'list', items: next });
  const name = schema.title ?? label;
  return (
    <fieldset className={styles.group}>
      <legend>{name}</legend>
      {hint && <p className={styles.about}>{hint}</p>}
      {fault && (
        <p className={styles.fault} role="alert">
          <ForeignText text={fault} />
        </p>
      )}
      {items.map((item, index) => (
        <div
          key={index}
          className={classNames(styles.entry, item.kind !== 'text' && styles.entryGroup)}
        >
          {schema.items && (
            <SchemaField
              label={texts.entry(name, index + 1)}
              path={`${path}[${index}]`}
              schema={schema.items}
              draft={item}
              isRequired
              faultAt={faultAt}
              onChange={(next) => change(items.with(index, next))}
            />
          )}
          <IconButton
            icon="trash"
            label={texts.remove(texts.entry(name, index + 1))}
            onClick={() => change(items.toSpliced(index, 1))}
          />
        </div>
      ))}
      <div>
        <Button
          size="small"
          disabled={items.length >= (schema.maxItems ?? Number.POSITIVE_INFINITY)}
          onClick={() => change([...items, itemDraft(schema)])}
        >
          {texts.add(name)}
        </Button>
      </div>
    </fieldset>
  );
}
