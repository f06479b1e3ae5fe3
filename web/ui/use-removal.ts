import { useState } from 'react';
import { useToolCall } from '../api/tools.ts';
import type { Reader } from '../api/reader.ts';
import { useToast } from './toast.tsx';

/**
 * Asks before a tool removes a row. `ask(row)` opens the dialog, `asked` is the row, and `dialog` has the properties
 * of the `ConfirmDialog` except its texts. `done` is shown when the row was removed. Then the results of the `changed`
 * tools are read again.
 */
export function useRemoval<Row, Result>(
  tool: string,
  reader: Reader<Result>,
  changed: readonly string[],
  done: string,
  argumentsOf: (row: Row) => Readonly<Record<string, unknown>>,
) {
  const [asked, ask] = useState<Row>();
  const call = useToolCall(tool, reader, changed);
  const toast = useToast();
  const close = (): void => {
    ask(undefined);
    call.reset();
  };
  const confirm = (row: Row): void =>
    call.mutate(argumentsOf(row), {
      onSuccess: () => {
        close();
        toast(done);
      },
    });
  return {
    asked,
    ask,
    dialog: {
      isOpen: asked !== undefined,
      onClose: close,
      isDangerous: true,
      isBusy: call.isPending,
      error: call.error,
      onConfirm: () => asked && confirm(asked),
    },
  };
}
