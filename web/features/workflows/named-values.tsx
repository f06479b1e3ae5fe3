import { useState } from 'react';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { type Step } from './definition.ts';
import type { Output } from './earlier-outputs.ts';
import { JsonField } from './json-field.tsx';
import { namedValues } from './step-kind.ts';
import { SearchDialog } from './search-dialog.tsx';
import { freeName } from './value-name.ts';

interface NamedValuesProps {
  step: Step;
  outputs: readonly Output[];
  faultOf: (member: string) => string | undefined;
  onChange: (step: Step, label: string) => void;
}

/** Edits the values that a step sets or returns, with a picker of earlier outputs. */
export function NamedValues({ step, outputs, faultOf, onChange }: NamedValuesProps) {
  const texts = useTexts(editorTexts);
  const [isPicking, setPicking] = useState(false);
  const member = step.set === undefined ? 'return' : 'set';
  const { values, names } = namedValues(step);
  const fault = [member, ...names.map((name) => `${member}.${name}`)].map(faultOf).find(Boolean);
  const pick = (expression: string): void => {
    setPicking(false);
    const name = freeName(names, expression);
    onChange({ ...step, [member]: { ...values, [name]: `{{ ${expression} }}` } }, 'pick');
  };
  return (
    <>
      <JsonField
        label={texts.values}
        description={texts.valuesAbout[member]}
        fault={fault}
        value={values}
        onChange={(next) => onChange({ ...step, [member]: next }, member)}
      />
      <Button size="small" onClick={() => setPicking(true)}>
        {texts.pickTitle}
      </Button>
      {isPicking && (
        <SearchDialog
          title={texts.pickTitle}
          search={texts.pickSearch}
          none={texts.pickNone}
          choices={outputs.map(({ expression, about }) => ({
            name: expression,
            label: expression,
            about,
          }))}
          onChoose={pick}
          onClose={() => setPicking(false)}
        />
      )}
    </>
  );
}
