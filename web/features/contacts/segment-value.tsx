import { useTool } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { segmentsTexts } from '../../texts/segments.texts.ts';
import { SelectField } from '../../ui/field.tsx';
import { segmentPage } from './segment.readers.ts';

const MOST_SEGMENTS = 100;

/** Lets a person choose the segment of a condition. */
export function SegmentValue({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const { choose } = useTexts(segmentsTexts);
  const { data } = useTool('list_segments', { limit: MOST_SEGMENTS }, segmentPage);
  const known = data?.segments ?? [];
  const options = known.map(({ id, name }) => ({ value: id, label: name }));
  // The value comes from the address of the page. It may be a segment that is not in the list, or a name instead of
  // an id.
  const isListed = value === '' || options.some((option) => option.value === value);
  const all = [{ value: '', label: choose }, ...options];
  return (
    <SelectField
      label={label}
      value={value}
      options={isListed ? all : [...all, { value, label: value }]}
      onChange={onChange}
    />
  );
}
