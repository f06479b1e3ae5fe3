import { auditTexts } from '../../texts/audit.texts.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { outcomeTexts } from '../../texts/outcome.texts.ts';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { OutcomeBadge } from '../../ui/outcome-badge.tsx';
import { Facts } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import type { AuditEntry } from './audit.readers.ts';
import styles from './audit.module.css';

/** Shows one entry of the log with all its fields. */
export function AuditEntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const texts = useTexts(auditTexts);
  const meanings: Readonly<Record<string, string>> = useTexts(outcomeTexts).meanings;
  const kinds: Readonly<Record<string, string>> = texts.kinds;
  const { close } = useTexts(uiTexts);
  const formats = useFormats();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isWide
      title={texts.detail(entry.action)}
      description={meanings[entry.outcome]}
      actions={<Button onClick={onClose}>{close}</Button>}
    >
      <Facts
        facts={[
          [texts.outcome, <OutcomeBadge key="outcome" outcome={entry.outcome} />],
          [texts.time, <Time key="time" value={entry.at} isExact />],
          [
            texts.who,
            <span key="who">
              {kinds[entry.caller_kind] ?? entry.caller_kind} <code>{entry.caller_id}</code>
            </span>,
          ],
          [
            texts.changed,
            entry.subject && (
              <code key="changed">
                <ForeignText text={entry.subject} />
              </code>
            ),
          ],
          [texts.address, entry.address],
          [texts.client, entry.client],
          [texts.duration, entry.duration_ms !== null && formats.duration(entry.duration_ms)],
          [texts.request, entry.request_id && <code key="request">{entry.request_id}</code>],
          [texts.unlogged, entry.unlogged > 0 && formats.number(entry.unlogged)],
          [
            texts.digest,
            entry.arguments_digest && (
              <div key="digest">
                <code>{entry.arguments_digest}</code>
                <p className={styles.about}>{texts.digestAbout}</p>
              </div>
            ),
          ],
        ]}
      />
    </Dialog>
  );
}
