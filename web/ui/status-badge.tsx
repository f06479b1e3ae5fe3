import { useTexts } from '../texts/language.tsx';
import { statusTexts } from '../texts/status.texts.ts';
import { Badge, type Tone } from './badge.tsx';

const TONES: Readonly<Record<string, Tone>> = {
  scheduled: 'calm',
  queued: 'busy',
  held: 'warn',
  sending: 'busy',
  running: 'busy',
  waiting: 'warn',
  uncertain: 'warn',
  sent: 'good',
  delivered: 'good',
  succeeded: 'good',
  received: 'good',
  failed: 'bad',
};

/** Shows the status of a message, a run or a step. A status that this build does not know is shown unchanged. */
export function StatusBadge({ status }: { status: string }) {
  const texts: Readonly<Record<string, string>> = useTexts(statusTexts);
  return <Badge tone={TONES[status] ?? 'calm'}>{texts[status] ?? status}</Badge>;
}
