import { useState } from 'react';
import { useTexts } from '../../texts/language.tsx';
import { runsTexts } from '../../texts/runs.texts.ts';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { BulkDialog, type BulkAction } from './bulk-dialog.tsx';
import type { RunFilters } from './run-filters.ts';

const ACTIONS: readonly BulkAction[] = ['retry', 'replay', 'cancel'];

/** Offers the actions for all runs that match the filters. */
export function BulkMenu({ filters }: { filters: RunFilters }) {
  const texts = useTexts(runsTexts).bulk;
  const [action, setAction] = useState<BulkAction>();
  return (
    <>
      <Menu label={texts.menu} trigger={texts.menu}>
        {ACTIONS.map((each) => (
          <MenuItem key={each} isDangerous={each === 'cancel'} onSelect={() => setAction(each)}>
            {texts[each]}
          </MenuItem>
        ))}
      </Menu>
      {action && (
        <BulkDialog action={action} filters={filters} onClose={() => setAction(undefined)} />
      )}
    </>
  );
}
