import { isObject } from '../../api/reader.ts';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Step, textOf } from './definition.ts';
import { JsonField } from './json-field.tsx';
import { type FieldsProps, toNumber, withMember } from './kind-fields.ts';

/** Shows the fields of a loop: the source of its items, and how its steps get them. */
export function LoopFields({ step, faultOf, onChange }: FieldsProps) {
  const texts = useTexts(editorTexts);
  const isPaged = step.pages !== undefined;
  const textField = (member: string, label: string, description?: string) => (
    <TextField
      label={label}
      description={description}
      fault={faultOf(member)}
      value={textOf(step[member])}
      onChange={(value) => onChange(withMember(step, member, value), member)}
    />
  );
  const numberField = (member: string, label: string, description?: string) => (
    <TextField
      label={label}
      description={description}
      inputMode="numeric"
      fault={faultOf(member)}
      value={textOf(step[member])}
      onChange={(value) => onChange(withMember(step, member, toNumber(value)), member)}
    />
  );
  return (
    <>
      <SelectField
        label={texts.itemSource}
        fault={faultOf('pages')}
        value={isPaged ? 'pages' : 'list'}
        options={[
          { value: 'list', label: texts.itemSources.list },
          { value: 'pages', label: texts.itemSources.pages },
        ]}
        onChange={(source) =>
          onChange(source === 'pages' ? withPages(step) : withoutPages(step), 'pages')
        }
      />
      {textField('for_each', texts.list, isPaged ? texts.pageItemsAbout : texts.listAbout)}
      {isPaged && textField('next', texts.nextPage, texts.nextPageAbout)}
      {textField('as', texts.as)}
      {numberField('batch', texts.batch, texts.batchAbout)}
      {numberField('concurrency', texts.concurrency)}
      {isObject(step.output) ? (
        <JsonField
          label={texts.itemOutput}
          description={texts.itemOutputAbout}
          fault={faultOf('output')}
          value={step.output}
          onChange={(output) => onChange({ ...step, output }, 'output')}
        />
      ) : (
        textField('output', texts.itemOutput, texts.itemOutputAbout)
      )}
    </>
  );
}

/** Returns a loop that reads its items from pages of contacts, as an example for the person to change. */
function withPages(step: Step): Step {
  if (step.pages !== undefined) return step;
  const id = `${textOf(step.id)}_page`;
  const read = {
    id,
    tool: 'search_contacts',
    arguments: { limit: 100, cursor: '{{ cursor }}' },
  };
  const next = `{{ ${id}.next_cursor }}`;
  return { ...step, pages: [read], next, for_each: `{{ ${id}.contacts }}` };
}

function withoutPages({ pages: _, next: __, ...step }: Step): Step {
  return step;
}
