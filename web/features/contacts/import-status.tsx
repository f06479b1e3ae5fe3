import { importsTexts } from '../../texts/imports.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';

const TONES = {
  uploading: 'busy',
  uploaded: 'calm',
  running: 'busy',
  checked: 'calm',
  completed: 'good',
  failed: 'bad',
  canceled: 'warn',
} as const satisfies Record<string, Tone>;

/** Shows the status of an import. A status that this page does not know is shown unchanged. */
export function ImportStatus({ status }: { status: string }) {
  const { statuses } = useTexts(importsTexts);
  const known = (Object.keys(TONES) as (keyof typeof TONES)[]).find((one) => one === status);
  return <Badge tone={known ? TONES[known] : 'calm'}>{known ? statuses[known] : status}</Badge>;
}
