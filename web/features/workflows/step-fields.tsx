import { useTexts } from '../../texts/language.tsx';
import { editorTexts } from '../../texts/editor.texts.ts';
import { isObject } from '../../api/reader.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { CodeFields } from './code-fields.tsx';
import { textOf } from './definition.ts';
import { type FieldsProps, toNumber, withMember } from './kind-fields.ts';
import { LoopFields } from './loop-fields.tsx';
import { NamedValues } from './named-values.tsx';
import { RespondFields } from './respond-fields.tsx';
import { kindOf } from './step-kind.ts';

const UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'until'] as const;

/** Shows the fields of a step according to its kind. The arguments of a tool are not among these fields. */
export function KindFields(props: FieldsProps) {
  const { step, faultOf, onChange } = props;
  const texts = useTexts(editorTexts);
  const textField = (member: string, label: string, description?: string) => (
    <TextField
      label={label}
      description={description}
      fault={faultOf(member)}
      value={textOf(step[member])}
      onChange={(value) => onChange(withMember(step, member, value), member)}
    />
  );
  switch (kindOf(step)) {
    case 'branch':
      return textField('if', texts.condition, texts.branchAbout);
    case 'code':
      return <CodeFields {...props} />;
    case 'wait':
      return <WaitFields {...props} />;
    case 'loop':
      return <LoopFields {...props} />;
    case 'set':
    case 'return':
      return <NamedValues {...props} />;
    case 'stop':
      return (
        <>
          <SelectField
            label={texts.stop}
            fault={faultOf('stop')}
            value={textOf(step.stop)}
            options={[
              { value: 'succeeded', label: texts.stops.succeeded },
              { value: 'failed', label: texts.stops.failed },
            ]}
            onChange={(value) => onChange({ ...step, stop: value }, 'stop')}
          />
          {textField('reason', texts.reason)}
        </>
      );
    case 'respond':
      return <RespondFields {...props} />;
    default:
      return null;
  }
}

function WaitFields({ step, faultOf, onChange }: FieldsProps) {
  const texts = useTexts(editorTexts);
  const wait = isObject(step.wait) ? step.wait : {};
  const unit = UNITS.find((each) => wait[each] !== undefined) ?? 'seconds';
  const value = textOf(wait[unit]);
  const change = (nextUnit: string, text: string, label: string): void => {
    const rest = Object.entries(wait).filter(([name]) => !UNITS.some((each) => each === name));
    const next = nextUnit === 'until' ? text : toNumber(text);
    onChange({ ...step, wait: { ...Object.fromEntries(rest), [nextUnit]: next } }, label);
  };
  return (
    <>
      <SelectField
        label={texts.unit}
        value={unit}
        options={UNITS.map((each) => ({ value: each, label: texts.units[each] }))}
        onChange={(next) => change(next, value, 'unit')}
      />
      <TextField
        label={texts.amount}
        fault={faultOf('wait') ?? faultOf(`wait.${unit}`)}
        value={value}
        onChange={(text) => change(unit, text, 'wait')}
      />
    </>
  );
}
