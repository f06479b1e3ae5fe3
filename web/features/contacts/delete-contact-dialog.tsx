import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTool, useToolCall } from '../../api/tools.ts';
import { contactsTexts } from '../../texts/contacts.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { uiTexts } from '../../texts/ui.texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { deletedResult, deletionPreview } from './contact.readers.ts';

/**
 * Deletes a contact when a person agrees. A dry run shows which rows stay, and the person can choose to delete these
 * too.
 */
export function DeleteContactDialog({
  contactId,
  onClose,
}: {
  contactId: string;
  onClose: () => void;
}) {
  const texts = useTexts(contactsTexts);
  const ui = useTexts(uiTexts);
  const navigate = useNavigate();
  const toast = useToast();
  const [messages, setMessages] = useState(false);
  const [suppressions, setSuppressions] = useState(false);
  const given = { contact_id: contactId };
  const preview = useTool('delete_contact', { ...given, dry_run: true }, deletionPreview);
  const remove = useToolCall('delete_contact', deletedResult, ['search_contacts', 'list_messages']);
  const kept = preview.data?.result.kept;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={texts.deleteTitle}
      description={texts.deleteText}
      action={ui.delete}
      isDangerous
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(
          {
            ...given,
            remove: [...(messages ? ['messages'] : []), ...(suppressions ? ['suppressions'] : [])],
          },
          {
            onSuccess: () => {
              toast(texts.deleted);
              void navigate({ to: '/contacts' });
            },
          },
        )
      }
    >
      {kept && kept.messages > 0 && (
        <CheckField
          label={texts.alsoMessages(kept.messages)}
          value={messages}
          onChange={setMessages}
        />
      )}
      {kept && kept.suppressions > 0 && (
        <CheckField
          label={texts.alsoSuppressions(kept.suppressions)}
          description={texts.alsoSuppressionsAbout}
          value={suppressions}
          onChange={setSuppressions}
        />
      )}
      {kept && kept.runs > 0 && <p>{texts.runsStay(kept.runs)}</p>}
    </ConfirmDialog>
  );
}
