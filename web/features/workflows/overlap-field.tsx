import { useTexts } from '../../texts/language.tsx';
import { webhooksTexts } from '../../texts/webhooks.texts.ts';
import { SelectField } from '../../ui/field.tsx';

const OVERLAPS = ['0', '3600', '86400', '604800'] as const;

export const USUAL_OVERLAP = '86400';

/** Lets a person choose for how many seconds the replaced secret stays valid. */
export function OverlapField(props: { value: string; onChange: (value: string) => void }) {
  const texts = useTexts(webhooksTexts).webhook;
  return (
    <SelectField
      label={texts.overlap}
      options={OVERLAPS.map((value) => ({ value, label: texts.overlaps[value] }))}
      {...props}
    />
  );
}
