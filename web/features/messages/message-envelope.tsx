import { useTool } from '../../api/tools.ts';
import { useFormats } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Facts, Section } from '../../ui/page.tsx';
import { messageEnvelope } from './message.readers.ts';

/** Shows the sender and the attachments that the caller chose for an e-mail. Shows nothing if there are none. */
export function MessageEnvelope({ messageId }: { messageId: string }) {
  const texts = useTexts(messagesTexts);
  const formats = useFormats();
  const query = useTool('get_message_envelope', { message_id: messageId }, messageEnvelope);
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  const { from = null, reply_to: replyTo = null, attachments = [] } = query.data ?? {};
  if (from === null && replyTo === null && attachments.length === 0) return null;
  return (
    <Section title={texts.envelope}>
      <Facts
        facts={[
          [texts.from, from],
          [texts.replyTo, replyTo],
          [
            texts.attachments,
            attachments.length > 0 && (
              <ul key="attachments">
                {attachments.map(({ file_id: id, name, size }, index) => (
                  <li key={index}>
                    <a href={`/api/files/${encodeURIComponent(id)}`} download>
                      <ForeignText text={name} />
                    </a>{' '}
                    {formats.bytes(size)}
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </Section>
  );
}
