import { Suspense, lazy, useMemo, useState } from 'react';
import { isObject } from '../../api/reader.ts';
import { type ToolDescriptor, useTool } from '../../api/tools.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Skeleton } from '../../ui/state.tsx';
import type { Definition, Step } from './definition.ts';
import { STEP_TOOLS } from './step-panel.tsx';
import { schemaResult } from './workflow.readers.ts';

const JsonEditor = lazy(async () => ({
  default: (await import('../../ui/editor/json-editor.tsx')).JsonEditor,
}));

interface ViewProps {
  definition: Definition;
  tools: readonly ToolDescriptor[];
  faults: readonly { path: string; message: string }[];
  onChange: (definition: Definition) => void;
}

/** Edits the complete definition as JSON. A text that is not yet a definition stays in the editor. */
export function JsonView({ definition, tools, faults, onChange }: ViewProps) {
  const texts = useTexts(editorTexts);
  const schema = useTool('get_workflow_schema', {}, schemaResult).data?.schema;
  const hints = useMemo(
    () => schema && { schema, tools: new Map([...UNLISTED, ...tools.map(hintOf)]) },
    [schema, tools],
  );
  const shown = JSON.stringify(definition, null, 2);
  const [typed, setTyped] = useState({ of: shown, text: shown });
  // The definition changed elsewhere, for example by undo, so the editor shows the new definition.
  if (typed.of !== shown) setTyped({ of: shown, text: shown });
  const read = readDefinition(typed.text);
  const change = (text: string): void => {
    const next = readDefinition(text);
    // Two changes may happen before the next rendering. The second must not undo the first.
    setTyped(({ of }) => ({ of: next ? JSON.stringify(next, null, 2) : of, text }));
    if (next) onChange(next);
  };
  return (
    <div>
      <Suspense fallback={<Skeleton rows={8} />}>
        <JsonEditor
          label={texts.json}
          value={typed.text}
          faults={faults}
          hints={hints}
          texts={texts.jsonHints}
          onChange={change}
        />
      </Suspense>
      <p role="status">{!read && texts.jsonBroken}</p>
    </div>
  );
}

type Hint = readonly [name: string, hint: { about: string; schema: unknown }];

/** Tools that only steps may call. People cannot read their schemas. */
const UNLISTED = STEP_TOOLS.map((name): Hint => [name, { about: '', schema: undefined }]);

function hintOf({ name, description, inputSchema }: ToolDescriptor): Hint {
  return [name, { about: description, schema: inputSchema }];
}

function isStepList(value: unknown): value is Step[] {
  return Array.isArray(value) && value.every(isObject);
}

function readDefinition(text: string): Definition | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { name, trigger, steps, on_failure = [] } = value;
    if (typeof name !== 'string' || !isObject(trigger)) return undefined;
    if (!isStepList(steps) || !isStepList(on_failure)) return undefined;
    return { name, trigger, steps, on_failure };
  } catch {
    return undefined;
  }
}
