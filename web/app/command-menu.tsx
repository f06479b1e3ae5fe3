import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import styles from './command-menu.module.css';
import { matchCommands } from './match-commands.ts';
import { useCommands } from './use-commands.ts';

/** Finds every page and command by name. Ctrl-K opens the menu, arrow keys choose a command, and Enter executes it. */
export function CommandMenu({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { commands: texts } = useTexts(shellTexts);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.title} isPassing>
      <CommandList onClose={onClose} />
    </Dialog>
  );
}

function CommandList({ onClose }: { onClose: () => void }) {
  const { commands: texts } = useTexts(shellTexts);
  const [typed, setTyped] = useState('');
  const [place, setPlace] = useState(0);
  const id = useId();
  const found = matchCommands(useCommands(), typed);
  const chosen = found[Math.min(place, found.length - 1)];
  const idOf = (name: string): string => `${id}-${name}`;
  useEffect(() => {
    document.querySelector(`#${CSS.escape(id)} [aria-selected=true]`)?.scrollIntoView({
      block: 'nearest',
    });
  }, [id, chosen]);
  const run = (command: typeof chosen): void => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') run(chosen);
    else if (step !== undefined && found.length > 0) {
      setPlace(
        (before) => (Math.min(before, found.length - 1) + step + found.length) % found.length,
      );
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <TextField
        label={<span className="hidden-visually">{texts.search}</span>}
        placeholder={texts.search}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen && idOf(chosen.name)}
        autoComplete="off"
        value={typed}
        onChange={(value) => {
          setTyped(value);
          setPlace(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={texts.title} className={styles.list}>
        {found.map((command) => (
          <div
            key={command.name}
            id={idOf(command.name)}
            role="option"
            aria-selected={command === chosen}
            className={styles.option}
            onClick={() => run(command)}
            onMouseMove={() => setPlace(found.indexOf(command))}
          >
            <Icon name={command.icon} />
            {command.label}
            <span className={styles.group}>{command.group}</span>
          </div>
        ))}
      </div>
      <div role="status">{found.length === 0 && <p className={styles.none}>{texts.none}</p>}</div>
    </>
  );
}
