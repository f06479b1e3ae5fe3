import { useSignOut } from '../../api/session.ts';
import { useTexts } from '../../texts/language.tsx';
import { shellTexts } from '../../texts/shell.texts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';

/** Ends the session and loads the page again, so that no data of the session stays in the memory of the browser. */
export function SignOutButton() {
  const { signOut } = useTexts(shellTexts);
  const end = useSignOut();
  return (
    <>
      <Button
        isBusy={end.isPending}
        onClick={() => end.mutate(undefined, { onSuccess: () => location.assign('/sign-in') })}
      >
        {signOut}
      </Button>
      {end.error && <ErrorPanel error={end.error} />}
    </>
  );
}
