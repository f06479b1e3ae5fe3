import { useBlocker } from '@tanstack/react-router';
import { editorTexts } from '../../texts/editor.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';

/**
 * Asks before the person leaves the page with unsaved changes. It does not ask before a change to another tab of the
 * page.
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
