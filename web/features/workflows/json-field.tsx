import { useState } from 'react';
import { isObject } from '../../api/reader.ts';
import { useTexts } from '../../texts/language.tsx';
import { editorTexts } from '../../texts/editor.texts.ts';
import { TextAreaField } from '../../ui/field.tsx';

type JsonObject = Readonly<Record<string, unknown>>;

interface JsonFieldProps {
  label: string;
  description?: string;
  fault?: string | undefined;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
}

/** Edits an object as JSON. While the text is not a JSON object, the step keeps the last valid object. */
export function JsonField({ label, description, fault, value, onChange }: JsonFieldProps) {
  const { badJson } = useTexts(editorTexts);
  const shown = JSON.stringify(value, null, 2);
  const [typed, setTyped] = useState({ of: shown, text: shown });
  // The value changed elsewhere, for example by undo, so the field shows the new value.
  if (typed.of !== shown) setTyped({ of: shown, text: shown });
  const change = (text: string): void => {
    const next = readObject(text);
    setTyped({ of: next ? JSON.stringify(next, null, 2) : typed.of, text });
    if (next) onChange(next);
  };
  return (
    <TextAreaField
      label={label}
      description={description}
      fault={readObject(typed.text) ? fault : badJson}
      isCode
      rows={Math.min(14, Math.max(3, typed.text.split('\n').length))}
      value={typed.text}
      onChange={change}
    />
  );
}

function readObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
