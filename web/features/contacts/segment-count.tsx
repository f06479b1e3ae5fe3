import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { segmentsTexts } from '../../texts/segments.texts.ts';
import type { Segment } from './segment.readers.ts';

const MOST_COUNTED = 10_000;

/** Shows how many contacts are in a segment. The number is exact up to 10,000. */
export function SegmentCount({ segment }: { segment: Segment }) {
  const { counting } = useTexts(segmentsTexts);
  const formats = useFormats();
  const count = formats.number(segment.contacts);
  if (segment.is_complete) return count;
  return segment.contacts >= MOST_COUNTED ? `${count}+` : counting;
}
