import { useTool } from '../../api/tools.ts';
import { callsTexts } from '../../texts/calls.texts.ts';
import { useTexts } from '../../texts/language.tsx';
import { uiTexts } from '../../texts/ui.texts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel } from '../../ui/error-panel.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { callList } from './call.readers.ts';
import { CallDialog } from './call-dialog.tsx';

/** The largest number of calls of the request that are read. The largest batch has 20 calls. */
const MOST_OF_REQUEST = 100;

/** Shows the call that the address names, even when it is too old for the list on the page. */
export function LinkedCall(props: { request: string; id: string; onClose: () => void }) {
  const { request, id, onClose } = props;
  const texts = useTexts(callsTexts);
  const { close } = useTexts(uiTexts);
  const given = { request_id: request, limit: MOST_OF_REQUEST };
  const query = useTool('list_calls', given, callList);
  const call = query.data?.calls.find((each) => each.id === id);
  // A text that cannot be an id is treated as the id of an unknown call.
  const isUnknown = query.error?.code === 'invalid_arguments';
  if (call) return <CallDialog call={call} onClose={onClose} />;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.one}
      actions={<Button onClick={onClose}>{close}</Button>}
    >
      {query.error && !isUnknown && (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <Skeleton rows={4} />}
      {(query.data ?? isUnknown) && <p>{texts.gone}</p>}
    </Dialog>
  );
}
