import { isObject } from '../../api/reader.ts';
import { respondTexts } from '../../texts/respond.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { type Step, textOf } from './definition.ts';
import { JsonField } from './json-field.tsx';

interface FieldsProps {
  step: Step;
  faultOf: (member: string) => string | undefined;
  onChange: (step: Step, label: string) => void;
}

const TYPES = ['json', 'text', 'xml'] as const;
const BODY_ROWS = 6;

/** Shows the fields of the step that answers the sender of the webhook. */
export function RespondFields({ step, faultOf, onChange }: FieldsProps) {
  const texts = useTexts(respondTexts);
  const answer = isObject(step.respond) ? step.respond : {};
  const { status, type, headers, body } = answer;
  const isJson = type === undefined || type === 'json';
  const change = (members: Readonly<Record<string, unknown>>, label: string): void => {
    const kept = Object.entries({ ...answer, ...members }).filter(([, each]) => each !== undefined);
    onChange({ ...step, respond: Object.fromEntries(kept) }, label);
  };
  return (
    <>
      <TextField
        label={texts.status}
        description={texts.statusAbout}
        fault={faultOf('respond.status') ?? faultOf('respond')}
        value={textOf(status)}
        onChange={(text) => change({ status: readStatus(text) }, 'status')}
      />
      <SelectField
        label={texts.type}
        fault={faultOf('respond.type')}
        value={textOf(type ?? 'json')}
        options={TYPES.map((each) => ({ value: each, label: texts.types[each] }))}
        onChange={(next) =>
          change({ type: next, body: next === 'json' ? body : bodyText(body) }, 'type')
        }
      />
      {isJson && (body === undefined || isObject(body)) ? (
        <JsonField
          label={texts.body}
          description={texts.bodyAbout}
          fault={faultOf('respond.body')}
          value={isObject(body) ? body : NONE}
          onChange={(value) => change({ body: value }, 'body')}
        />
      ) : (
        <TextAreaField
          label={texts.body}
          description={type === 'xml' ? texts.xmlAbout : texts.bodyAbout}
          fault={faultOf('respond.body')}
          isCode
          rows={BODY_ROWS}
          value={textOf(body)}
          onChange={(text) => change({ body: text === '' ? undefined : text }, 'body')}
        />
      )}
      <JsonField
        label={texts.headers}
        description={texts.headersAbout}
        fault={faultOf('respond.headers')}
        value={isObject(headers) ? headers : NONE}
        onChange={(value) =>
          change({ headers: Object.keys(value).length > 0 ? value : undefined }, 'headers')
        }
      />
    </>
  );
}

/** One object for all renderings, because fields compare it by identity. */
const NONE: Readonly<Record<string, unknown>> = {};

/** Returns the body as text, for a type other than JSON. */
function bodyText(body: unknown): string | undefined {
  return body === undefined ? undefined : textOf(body);
}

/** Returns the number in a text, or an expression unchanged, or undefined for an empty text. */
function readStatus(text: string): number | string | undefined {
  if (text.trim() === '') return undefined;
  return /^\d+$/.test(text.trim()) ? Number(text) : text;
}
