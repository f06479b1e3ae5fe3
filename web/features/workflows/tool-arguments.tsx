import { useState } from 'react';
import { isObject } from '../../api/reader.ts';
import { type Draft, draftOf, fieldKind } from '../../forms/draft.ts';
import { type DraftFault, readDraft } from '../../forms/read-draft.ts';
import { type Schema, readSchema } from '../../forms/schema.ts';
import { SchemaField } from '../../forms/schema-field.tsx';
import { editorTexts } from '../../texts/editor.texts.ts';
import { formTexts } from '../../texts/form.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { IconButton } from '../../ui/button.tsx';
import type { Output } from './earlier-outputs.ts';
import styles from './editor.module.css';
import { SearchDialog } from './search-dialog.tsx';

type Arguments = Readonly<Record<string, unknown>>;

interface ArgumentsProps {
  /** The input schema of the tool. */
  schema: unknown;
  value: Arguments;
  outputs: readonly Output[];
  faultAt: (path: string) => string | undefined;
  onChange: (value: Arguments, label: string) => void;
}

interface Typed {
  /** The arguments from which the drafts were made. */
  of: Arguments;
  drafts: ReadonlyMap<string, Draft>;
  faults: ReadonlyMap<string, DraftFault>;
}

const EXPRESSION: Schema = { type: 'string', isNullable: false, required: new Set() };

/** Shows the arguments of a tool, each with a picker of earlier outputs. An expression can replace any value. */
export function ToolArguments({
  schema: given,
  value,
  outputs,
  faultAt,
  onChange,
}: ArgumentsProps) {
  const form = useTexts(formTexts);
  const texts = useTexts(editorTexts);
  const schema = readSchema(given);
  const [typed, setTyped] = useState<Typed>(() => read(schema, value));
  const [picking, setPicking] = useState<string>();
  // The arguments changed elsewhere, for example by undo, so the fields show the new arguments.
  if (typed.of !== value) setTyped(read(schema, value));
  const change = (name: string, draft: Draft): void => {
    const own = schemaOf(schema, name, value[name]);
    const result = readDraft(own, draft, { allowsExpressions: true }, name, false);
    const [fault] = result.faults;
    const faults = new Map(typed.faults);
    if (fault) faults.set(fault.path, fault.message);
    else for (const path of faults.keys()) if (path.startsWith(name)) faults.delete(path);
    // A text that is not yet a valid value stays in its field, and the definition keeps the last valid value.
    const next = fault ? value : withArgument(value, name, result.value);
    setTyped({ of: next, drafts: new Map(typed.drafts).set(name, draft), faults });
    if (next !== value) onChange(next, `arguments.${name}`);
  };
  const insert = (expression: string): void => {
    if (picking === undefined) return;
    const before = value[picking];
    const kind = schema.properties?.get(picking);
    const isText = kind && fieldKind(kind) === 'text' && typeof before === 'string';
    const next = withArgument(value, picking, `${isText ? before : ''}{{ ${expression} }}`);
    setPicking(undefined);
    onChange(next, `pick.${picking}`);
  };
  const names = [...(schema.properties?.keys() ?? [])];
  return (
    <>
      {names.map((name) => {
        const draft = typed.drafts.get(name);
        const message = (path: string): string | undefined => {
          const fault = typed.faults.get(path);
          return fault ? form.faults[fault] : faultAt(path);
        };
        return (
          draft && (
            <div key={name} className={styles.argument}>
              <SchemaField
                label={name}
                path={name}
                schema={schemaOf(schema, name, value[name])}
                draft={draft}
                isRequired={schema.required.has(name)}
                faultAt={message}
                onChange={(next) => change(name, next)}
              />
              <IconButton
                icon="plus"
                label={texts.pick(name)}
                size="small"
                onClick={() => setPicking(name)}
              />
            </div>
          )
        );
      })}
      {picking !== undefined && (
        <SearchDialog
          title={texts.pickTitle}
          search={texts.pickSearch}
          none={texts.pickNone}
          choices={outputs.map(({ expression, about }) => ({
            name: expression,
            label: expression,
            about,
          }))}
          onChoose={insert}
          onClose={() => setPicking(undefined)}
        />
      )}
    </>
  );
}

/** Returns the schema of an argument. An argument that is an expression has a text field, whatever its type. */
function schemaOf(schema: Schema, name: string, value: unknown): Schema {
  const own = schema.properties?.get(name) ?? EXPRESSION;
  const isExpression = typeof value === 'string' && value.includes('{{');
  if (!isExpression || ['text', 'number'].includes(fieldKind(own))) return own;
  return { ...EXPRESSION, ...(own.description && { description: own.description }) };
}

function read(schema: Schema, value: Arguments): Typed {
  const names = [...(schema.properties?.keys() ?? [])];
  const drafts = names.map(
    (name) => [name, draftOf(schemaOf(schema, name, value[name]), value[name])] as const,
  );
  return { of: value, drafts: new Map(drafts), faults: new Map() };
}

function withArgument(value: Arguments, name: string, next: unknown): Arguments {
  const rest = Object.entries(value).filter(([each]) => each !== name);
  if (next === undefined) return Object.fromEntries(rest);
  return isObject(value) && name in value
    ? { ...value, [name]: next }
    : Object.fromEntries([...rest, [name, next]]);
}
