import { tellTabs } from '../api/live/share-connection.ts';
import type { Session } from '../api/session.ts';
import { SessionEndedDialog } from '../features/account/session-ended-dialog.tsx';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { CommandMenu } from './command-menu.tsx';
import { Navigation } from './navigation.tsx';
import { setSessionEnded } from './session-ended.ts';

/** The dialog of the frame that is open. */
export type ShellDialog = 'navigation' | 'commands';

interface ShellDialogsProps {
  session: Session;
  hasEnded: boolean;
  open: ShellDialog | undefined;
  onClose: () => void;
}

/** Shows the dialogs of the frame: the list of pages on a narrow screen, the command menu, and the ended session. */
export function ShellDialogs({ session, hasEnded, open, onClose }: ShellDialogsProps) {
  const texts = useTexts(shellTexts);
  return (
    <>
      <Dialog isOpen={open === 'navigation'} onClose={onClose} title={texts.navigation}>
        <Navigation onNavigate={onClose} />
      </Dialog>
      <CommandMenu isOpen={open === 'commands'} onClose={onClose} />
      {hasEnded && (
        <SessionEndedDialog
          session={session}
          onDone={() => {
            setSessionEnded(false);
            tellTabs(session, { type: 'renewed' });
          }}
        />
      )}
    </>
  );
}
