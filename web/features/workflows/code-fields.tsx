import { Suspense, lazy } from 'react';
import { isObject } from '../../api/reader.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Field } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { type Step, textOf } from './definition.ts';
import { JsonField } from './json-field.tsx';

const JavascriptEditor = lazy(async () => ({
  default: (await import('../../ui/editor/javascript-editor.tsx')).JavascriptEditor,
}));

interface CodeFieldsProps {
  step: Step;
  faultOf: (member: string) => string | undefined;
  onChange: (step: Step, label: string) => void;
}

/** Shows the JavaScript of a step and its input. */
export function CodeFields({ step, faultOf, onChange }: CodeFieldsProps) {
  const texts = useTexts(editorTexts);
  const fault = faultOf('code');
  return (
    <>
      <JsonField
        label={texts.input}
        description={texts.inputAbout}
        fault={faultOf('input')}
        value={isObject(step.input) ? step.input : NONE}
        onChange={(input) => onChange({ ...step, input }, 'input')}
      />
      <Field label={texts.code} description={texts.codeAbout} fault={fault}>
        {() => (
          <Suspense fallback={<Skeleton rows={8} />}>
            <JavascriptEditor
              label={texts.code}
              value={textOf(step.code)}
              fault={fault}
              onChange={(code) => onChange({ ...step, code }, 'code')}
            />
          </Suspense>
        )}
      </Field>
    </>
  );
}

/** One object for all renderings, because fields compare it by identity. */
const NONE: Readonly<Record<string, unknown>> = {};
