import { type FormEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useTexts } from '../texts/language.tsx';
import { formTexts } from '../texts/form.texts.ts';
import { Button } from '../ui/button.tsx';
import { ErrorPanel } from '../ui/error-panel.tsx';
import { type Draft, draftOf } from './draft.ts';
import styles from './form.module.css';
import { type DraftFault, type ReadOptions, readDraft } from './read-draft.ts';
import { readSchema } from './schema.ts';
import { SchemaField } from './schema-field.tsx';

export interface SchemaFormProps {
  /** The input schema of a tool. */
  schema: unknown;
  /** The values with which the form begins. */
  initial?: Readonly<Record<string, unknown>>;
  /** The arguments that the page sets, without a field. */
  hidden?: readonly string[];
  /**
   * The labels of arguments, for people who do not know the tool. A field without a label has the name of its argument.
   */
  labels?: Readonly<Record<string, string>>;
  /** The text of the button that submits the form. */
  action: string;
  isBusy?: boolean;
  error?: unknown;
  options?: ReadOptions;
  onSubmit: (given: Record<string, unknown>) => void;
  /** More buttons beside the button that submits. */
  children?: ReactNode;
}

/** Shows a form for the arguments of a tool. Faults, also those that the service found, are shown at their fields. */
export function SchemaForm(props: SchemaFormProps) {
  const { hidden = [], labels = {}, action, isBusy, error, options, onSubmit, children } = props;
  const texts = useTexts(formTexts);
  const schema = useMemo(() => readSchema(props.schema), [props.schema]);
  const [members, setMembers] = useState(() => initialMembers(schema, props.initial, hidden));
  const [own, setOwn] = useState<readonly { path: string; message: DraftFault }[]>([]);
  const form = useRef<HTMLFormElement>(null);
  const served = error instanceof ApiError ? error.faults : [];
  const shown = served.filter(({ path }) => members.has(path.split(/[.[]/)[0] ?? ''));
  const faultAt = (path: string): string | undefined => {
    const fault = own.find((each) => each.path === path);
    return fault ? texts.faults[fault.message] : shown.find((each) => each.path === path)?.message;
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    if (isBusy) return;
    const read = readDraft(schema, { kind: 'group', members }, options);
    setOwn(read.faults);
    if (read.faults.length === 0) onSubmit({ ...toObject(read.value) });
    else requestAnimationFrame(() => focusFirstFault(form.current));
  };
  return (
    // The service checks more than a browser can, so faults from the service and from the browser are shown in the same
    // way.
    <form className={styles.form} noValidate onSubmit={submit} ref={form}>
      {[...members].map(([name, draft]) => {
        const inner = schema.properties?.get(name);
        return (
          inner && (
            <SchemaField
              key={name}
              label={labels[name] ?? name}
              path={name}
              schema={inner}
              draft={draft}
              isRequired={schema.required.has(name)}
              faultAt={faultAt}
              onChange={(next) => setMembers((before) => new Map(before).set(name, next))}
            />
          )
        );
      })}
      {error !== undefined && error !== null && (
        <ErrorPanel error={error} shownPaths={shown.map(({ path }) => path)} />
      )}
      <div role="status" className={styles.fault}>
        {own.length > 0 && texts.count(own.length)}
      </div>
      <div className={styles.actions}>
        {children}
        <Button type="submit" look="primary" isBusy={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}

function initialMembers(
  schema: ReturnType<typeof readSchema>,
  initial: Readonly<Record<string, unknown>> = {},
  hidden: readonly string[],
): ReadonlyMap<string, Draft> {
  const draft = draftOf(schema, initial);
  const members = draft.kind === 'group' ? [...draft.members] : [];
  return new Map(members.filter(([name]) => !hidden.includes(name)));
}

function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function focusFirstFault(form: HTMLFormElement | null): void {
  const field = form?.querySelector('[aria-invalid=true]');
  if (field instanceof HTMLElement) field.focus();
}
