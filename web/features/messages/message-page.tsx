import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Message, titleOf } from '../../api/message.ts';
import { useTool, useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { sendingTexts } from '../../texts/sending.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { ContactLink } from '../../ui/contact-link.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, Page, Section, backClass } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { UnloadedPage } from '../../ui/unloaded-page.tsx';
import { Time } from '../../ui/time.tsx';
import { MessageContent } from './message-content.tsx';
import { MessageEnvelope } from './message-envelope.tsx';
import { MessageExplanation } from './message-explanation.tsx';
import { messageResult } from './message.readers.ts';
import { ResolveMessage } from './resolve-message.tsx';
import { MessageTimeline } from './message-timeline.tsx';
import { titleOfChannel, useChannels } from './use-channels.ts';

/** Lists the states of messages that wait or were not sent. */
const UNSENT = new Set(['scheduled', 'queued', 'held', 'failed', 'canceled', 'suppressed']);

/** Shows one message: its history and its text. */
export function MessagePage() {
  const texts = useTexts(messagesTexts);
  const sending = useTexts(sendingTexts);
  const channels = useChannels();
  const { messageId } = useParams({ from: '/signed-in/messages/$messageId' });
  const query = useTool('get_message', { message_id: messageId }, messageResult);
  const back = (
    <Link to="/messages" className={backClass}>
      <Icon name="chevronLeft" />
      {texts.all}
    </Link>
  );
  if (!query.data) {
    return <UnloadedPage key={messageId} title={texts.title} back={back} query={query} />;
  }
  const { message } = query.data;
  const isInbound = message.direction === 'inbound';
  return (
    <Page
      title={titleOf(message, texts.noSubject)}
      back={back}
      actions={
        message.status === 'uncertain' ? (
          <ResolveMessage message={message} />
        ) : (
          ['scheduled', 'queued', 'held'].includes(message.status) && <Cancel message={message} />
        )
      }
    >
      <Facts
        facts={[
          [texts.to, message.to],
          [texts.channel, titleOfChannel(channels, message.channel)],
          [texts.topic, message.topic],
          [texts.provider, message.provider_id],
          [texts.providerMessage, message.provider_message_id],
          [
            sending.heldUntil,
            message.held_until && <Time key="held" value={message.held_until} isExact />,
          ],
          [texts.direction, isInbound ? texts.inbound : texts.outbound],
          [
            texts.contact,
            message.contact_id && <ContactLink key="contact" contactId={message.contact_id} />,
          ],
          [
            texts.template,
            message.template_id && (
              <Link
                key="template"
                to="/templates/$templateId"
                params={{ templateId: message.template_id }}
              >
                {texts.templateVersion(message.template_id, message.template_version)}
              </Link>
            ),
          ],
          [
            texts.run,
            message.run_id && (
              <Link key="run" to="/runs/$runId" params={{ runId: message.run_id }}>
                {message.run_id}
              </Link>
            ),
          ],
        ]}
      />
      <Section title={texts.history}>
        <MessageTimeline message={message} />
      </Section>
      {UNSENT.has(message.status) && <MessageExplanation message={message} />}
      {message.channel === 'email' && <MessageEnvelope messageId={message.id} />}
      <MessageContent message={message} />
    </Page>
  );
}

function Cancel({ message }: { message: Message }) {
  const texts = useTexts(messagesTexts);
  const toast = useToast();
  const [isOpen, setOpen] = useState(false);
  const cancel = useToolCall('cancel_message', messageResult, [
    'get_message',
    'list_messages',
    'list_message_events',
    'explain_send',
    'count_messages',
  ]);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.cancel}</Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={texts.cancelTitle}
        description={texts.cancelText}
        action={texts.cancel}
        isDangerous
        isBusy={cancel.isPending}
        error={cancel.error}
        onConfirm={() =>
          cancel.mutate(
            { message_id: message.id },
            {
              onSuccess: () => {
                setOpen(false);
                toast(texts.canceled);
              },
            },
          )
        }
      />
    </>
  );
}
