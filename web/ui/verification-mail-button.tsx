import { useVerificationMail } from '../api/verification.ts';
import { useTexts } from '../texts/language.tsx';
import { verificationTexts } from '../texts/verification.texts.ts';
import { Button } from './button.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { useToast } from './toast.tsx';

/** Sends the e-mail with the verification link once more. */
export function VerificationMailButton({ email }: { email: string }) {
  const texts = useTexts(verificationTexts);
  const toast = useToast();
  const mail = useVerificationMail();
  const send = (): void => {
    if (!mail.isPending) mail.mutate(undefined, { onSuccess: () => toast(texts.sent(email)) });
  };
  return (
    <>
      <Button size="small" isBusy={mail.isPending} onClick={send}>
        {texts.sendAgain}
      </Button>
      {mail.error && <ErrorPanel error={mail.error} />}
    </>
  );
}
