import { useBlocker } from '@tanstack/react-router';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';

/**
 * Asks for a confirmation when the person leaves the page with unsaved changes. A change to another tab of this page
 * needs no confirmation.
 */
export function LeaveDialog({ isDirty }: { isDirty: { readonly current: boolean } }) {
  const texts = useTexts(editorTexts);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty.current,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={texts.leaveTitle}
      description={texts.leaveText}
      action={texts.leave}
      onConfirm={() => blocker.proceed?.()}
    />
  );
}
