import { useState } from 'react';
import type { Message } from '../../api/message.ts';
import { useToolCall } from '../../api/tools.ts';
import { useTexts } from '../../texts/language.tsx';
import { messagesTexts } from '../../texts/messages.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { messageResult } from './message.readers.ts';

const OUTCOMES = ['sent', 'failed', 'resend'] as const;

/** Lets a person decide about a message whose outcome is unknown. */
export function ResolveMessage({ message }: { message: Message }) {
  const texts = useTexts(messagesTexts);
  const toast = useToast();
  const [asked, setAsked] = useState<(typeof OUTCOMES)[number]>();
  const resolve = useToolCall('resolve_message', messageResult, [
    'get_message',
    'list_messages',
    'list_message_events',
    'count_messages',
  ]);
  return (
    <>
      {OUTCOMES.map((outcome) => (
        <Button key={outcome} onClick={() => setAsked(outcome)}>
          {texts.resolutions[outcome].action}
        </Button>
      ))}
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={texts.resolveTitle}
        description={texts.resolutions[asked ?? 'sent'].about}
        action={texts.resolutions[asked ?? 'sent'].action}
        isDangerous={asked === 'resend'}
        isBusy={resolve.isPending}
        error={resolve.error}
        onConfirm={() =>
          resolve.mutate(
            { message_id: message.id, outcome: asked },
            {
              onSuccess: () => {
                setAsked(undefined);
                toast(texts.resolved);
              },
            },
          )
        }
      />
    </>
  );
}
