import { useState } from 'react';
import { type Message, titleOf } from '../../api/page-readers.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { foreignLine } from '../../ui/cut-text.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { TextViewer } from '../../ui/text-viewer.tsx';
import styles from './messages.module.css';

/**
 * Shows the content of a message as its text, and as people see it. The frame has an origin of its own and may do
 * nothing: its address has a policy that says so too.
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
