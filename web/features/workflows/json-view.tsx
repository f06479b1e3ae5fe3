import { Suspense, lazy, useState } from 'react';
import { isObject } from '../../api/reader.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Skeleton } from '../../ui/state.tsx';
import type { Definition } from './definition.ts';

const JsonEditor = lazy(async () => ({
  default: (await import('../../ui/editor/json-editor.tsx')).JsonEditor,
}));

const MEMBERS = [
  'name trigger steps type event cron timezone secret id tool',
  'arguments if then else wait wait_for_event for_each as concurrency parallel',
  'stop reason run_workflow payload on_error retry timeout max_attempts backoff_seconds seconds',
  'minutes hours days until',
].flatMap((line) => line.split(' '));

interface ViewProps {
  definition: Definition;
  tools: readonly string[];
  faults: readonly { path: string; message: string }[];
  onChange: (definition: Definition) => void;
}

/** Edits the whole definition as JSON. A text that is no definition yet stays in the editor. */
export function JsonView({ definition, tools, faults, onChange }: ViewProps) {
  const texts = useTexts(editorTexts);
  const shown = JSON.stringify(definition, null, 2);
  const [typed, setTyped] = useState({ of: shown, text: shown });
  // The definition changed elsewhere, for example by undo.
  if (typed.of !== shown) setTyped({ of: shown, text: shown });
  const read = readDefinition(typed.text);
  const change = (text: string): void => {
    const next = readDefinition(text);
    setTyped({ of: next ? JSON.stringify(next, null, 2) : typed.of, text });
    if (next) onChange(next);
  };
  return (
    <div>
      <Suspense fallback={<Skeleton rows={8} />}>
        <JsonEditor
          label={texts.json}
          value={typed.text}
          faults={faults}
          completions={{ members: MEMBERS, tools }}
          onChange={change}
        />
      </Suspense>
      <p role="status">{!read && texts.jsonBroken}</p>
    </div>
  );
}

function readDefinition(text: string): Definition | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { name, trigger, steps } = value;
    if (typeof name !== 'string' || !isObject(trigger) || !Array.isArray(steps)) return undefined;
    return steps.every(isObject) ? { name, trigger, steps } : undefined;
  } catch {
    return undefined;
  }
}
