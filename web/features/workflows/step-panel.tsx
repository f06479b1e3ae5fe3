import type { Ref } from 'react';
import { isObject } from '../../api/reader.ts';
import type { ToolDescriptor } from '../../api/tools.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Step, type StepRow, textOf } from './definition.ts';
import type { Output } from './earlier-outputs.ts';
import styles from './editor.module.css';
import { JsonField } from './json-field.tsx';
import { SECRETS_TOOL, withSecret } from './request-secret.ts';
import { SecretPicker } from './secret-picker.tsx';
import { withMember } from './kind-fields.ts';
import { KindFields } from './step-fields.tsx';
import { kindOf } from './step-kind.ts';
import { ToolArguments } from './tool-arguments.tsx';

/** The tools that only steps may call. People cannot read their schemas, so there is no form for them. */
export const STEP_TOOLS = ['http_request', 'set_run_contact'];
const OWN_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  tool: ['tool', 'arguments', 'if'],
  code: ['code', 'input', 'if'],
  branch: ['if', 'then', 'else'],
  wait: ['wait', 'if'],
  loop: ['pages', 'next', 'for_each', 'as', 'batch', 'concurrency', 'steps', 'output', 'if'],
  parallel: ['parallel', 'if'],
  race: ['race', 'if'],
  stop: ['stop', 'reason', 'if'],
  respond: ['respond', 'if'],
  set: ['set', 'if'],
  return: ['return', 'if'],
};

interface PanelProps {
  row: StepRow;
  tools: readonly ToolDescriptor[];
  outputs: readonly Output[];
  /** Returns the fault that the service found at a path inside the step. */
  faultOf: (member: string) => string | undefined;
  onChange: (step: Step, label: string) => void;
  actions: { up: () => void; down: () => void; duplicate: () => void; remove: () => void };
  focus: Ref<HTMLDivElement>;
}

/** Shows the form of one step. */
export function StepPanel({ row, tools, outputs, faultOf, onChange, actions, focus }: PanelProps) {
  const texts = useTexts(editorTexts);
  const { step } = row;
  const kind = kindOf(step);
  const own = ['id', ...(OWN_MEMBERS[kind] ?? ['if'])];
  const isOption = ([name, value]: [string, unknown]): boolean =>
    !own.includes(name) && !(name === 'on_error' && Array.isArray(value));
  const options = Object.fromEntries(Object.entries(step).filter(isOption));
  const setOptions = (next: Readonly<Record<string, unknown>>): void => {
    const kept = Object.entries(step).filter((entry) => !isOption(entry));
    onChange({ ...Object.fromEntries(kept), ...next }, 'options');
  };
  return (
    <div className={styles.panel} ref={focus} role="group" aria-label={textOf(step.id)}>
      <div className={styles.actions}>
        <Button size="small" onClick={actions.up}>
          {texts.up}
        </Button>
        <Button size="small" onClick={actions.down}>
          {texts.down}
        </Button>
        <Button size="small" onClick={actions.duplicate}>
          {texts.duplicate}
        </Button>
        <Button size="small" onClick={actions.remove}>
          {texts.remove}
        </Button>
      </div>
      <TextField
        label={texts.id}
        description={texts.idAbout}
        fault={faultOf('id')}
        value={textOf(step.id)}
        onChange={(id) => onChange({ ...step, id }, 'id')}
      />
      {kind === 'tool' && <ToolFields {...{ step, tools, outputs, faultOf }} onChange={onChange} />}
      <KindFields step={step} outputs={outputs} faultOf={faultOf} onChange={onChange} />
      {kind !== 'branch' && (
        <TextField
          label={texts.condition}
          description={texts.conditionAbout}
          fault={faultOf('if')}
          value={textOf(step.if)}
          onChange={(value) => onChange(withMember(step, 'if', value), 'if')}
        />
      )}
      <JsonField
        label={texts.options}
        description={texts.optionsAbout}
        value={options}
        onChange={setOptions}
      />
    </div>
  );
}

type ToolFieldsProps = Pick<PanelProps, 'tools' | 'outputs' | 'faultOf' | 'onChange'> & {
  step: Step;
};

function ToolFields({ step, tools, outputs, faultOf, onChange }: ToolFieldsProps) {
  const texts = useTexts(editorTexts);
  const chosen = textOf(step.tool);
  const names = [...new Set([...tools.map(({ name }) => name), ...STEP_TOOLS, chosen])].sort();
  const given = isObject(step.arguments) ? step.arguments : NONE;
  const schema = tools.find(({ name }) => name === chosen)?.inputSchema;
  const change = (value: Readonly<Record<string, unknown>>, label: string): void =>
    onChange({ ...step, arguments: value }, label);
  return (
    <>
      <SelectField
        label={texts.tool}
        fault={faultOf('tool')}
        value={chosen}
        options={names.map((name) => ({ value: name, label: name }))}
        onChange={(tool) => onChange({ ...step, tool }, 'tool')}
      />
      {schema ? (
        <ToolArguments
          key={chosen}
          schema={schema}
          value={given}
          outputs={outputs}
          faultAt={(path) => faultOf(`arguments.${path}`)}
          onChange={change}
        />
      ) : (
        <JsonField
          label={texts.arguments}
          fault={faultOf('arguments')}
          value={given}
          onChange={(value) => change(value, 'arguments')}
        />
      )}
      {chosen === SECRETS_TOOL && (
        <SecretPicker onPick={(secret) => change(withSecret(given, secret), 'secret')} />
      )}
    </>
  );
}

/** One object for all renderings, because fields compare it by identity. */
const NONE: Readonly<Record<string, unknown>> = {};
