import { useState } from 'react';
import { type Message, titleOf } from '../../api/message.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { foreignLine } from '../../ui/cut-text.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import styles from './messages.module.css';

/**
 * Shows the text of a message, or a preview of the message as recipients see it. The frame of the preview has a
 * separate origin and no permissions. The Content-Security-Policy of the preview sets the same limits.
 */
export function MessageContent({ message }: { message: Message }) {
  const texts = useTexts(messagesTexts);
  const [view, setView] = useState<'text' | 'preview'>('text');
  return (
    <Tabs
      label={texts.content}
      value={view}
      onChange={setView}
      tabs={[
        {
          value: 'text',
          label: texts.body,
          content: <TextViewer title={texts.body} value={message.body} />,
        },
        {
          value: 'preview',
          label: texts.preview,
          content: (
            <iframe
              className={styles.preview}
              sandbox=""
              title={texts.previewOf(foreignLine(titleOf(message, texts.noSubject)))}
              src={`/api/messages/${encodeURIComponent(message.id)}/preview`}
            />
          ),
        },
      ]}
    />
  );
}
