import { useQueryClient } from '@tanstack/react-query';
import { SESSION_KEY, type Session } from '../../api/session.ts';
import { accountTexts } from '../../texts/account.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/**
 * Lets a person sign in again in a dialog above the page. The page keeps all typed text. When another person signs in,
 * or the same person in another organization, the browser loads the first page of the dashboard.
 */
export function SessionEndedDialog({ session, onDone }: { session: Session; onDone: () => void }) {
  const texts = useTexts(accountTexts);
  const client = useQueryClient();
  const finish = (next: Session): void => {
    if (next.user.id !== session.user.id || next.organization.id !== session.organization.id) {
      location.assign('/');
      return;
    }
    client.setQueryData(SESSION_KEY, next);
    onDone();
  };
  return (
    <Dialog
      isOpen
      isPassing
      onClose={() => undefined}
      title={texts.ended.title}
      description={texts.ended.text}
      actions={
        <a href="/sign-in" className={buttonClass({ look: 'plain' })}>
          {texts.ended.other}
        </a>
      }
    >
      <SignInForm email={session.user.email} onDone={finish} />
    </Dialog>
  );
}
