import { useTexts } from '../../texts/language.tsx';
import { webhooksTexts } from '../../texts/webhooks.texts.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Shows the secret of a webhook, which the service returns only once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const texts = useTexts(webhooksTexts).webhook;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.secretTitle}
      description={texts.secretText}
      actions={
        <Button look="primary" onClick={onClose}>
          {texts.stored}
        </Button>
      }
    >
      <CodeBlock title={texts.secret} code={secret} isWrapped />
    </Dialog>
  );
}
