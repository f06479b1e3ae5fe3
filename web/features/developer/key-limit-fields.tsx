import { developerTexts } from '../../texts/developer.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { CheckField, SelectField, TextAreaField } from '../../ui/field.tsx';
import type { KeyLimits } from './key-limits.ts';

const DAYS = ['7', '30', '90', '365'];

interface KeyLimitFieldsProps {
  limits: KeyLimits;
  onChange: (limits: KeyLimits) => void;
}

/** Asks for the tools that a new key may call, and for its expiry. */
export function KeyLimitFields({ limits, onChange }: KeyLimitFieldsProps) {
  const { key: texts } = useTexts(developerTexts);
  return (
    <>
      <SelectField
        label={texts.expires}
        value={limits.days}
        options={[
          { value: '', label: texts.never },
          ...DAYS.map((value) => ({ value, label: texts.inDays(value) })),
        ]}
        onChange={(days) => onChange({ ...limits, days })}
      />
      <CheckField
        label={texts.readOnly}
        description={texts.readOnlyAbout}
        value={limits.isReadOnly}
        onChange={(isReadOnly) => onChange({ ...limits, isReadOnly })}
      />
      <TextAreaField
        label={texts.tools}
        description={texts.toolsAbout}
        isCode
        value={limits.tools}
        onChange={(tools) => onChange({ ...limits, tools })}
      />
    </>
  );
}
