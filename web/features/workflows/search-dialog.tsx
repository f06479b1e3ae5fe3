import { useState } from 'react';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import styles from './editor.module.css';

export interface Choice {
  name: string;
  label: string;
  about?: string | undefined;
}

interface SearchProps {
  title: string;
  search: string;
  none: string;
  choices: readonly Choice[];
  onChoose: (name: string) => void;
  onClose: () => void;
}

const MOST = 60;
const MOST_ABOUT = 2000;

/** Shows a list to choose from, with a field that finds entries. Enter chooses the first entry that was found. */
export function SearchDialog({ title, search, none, choices, onChoose, onClose }: SearchProps) {
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const found = choices
    .filter(({ name, label }) => `${name} ${label}`.toLowerCase().includes(wanted))
    .slice(0, MOST);
  return (
    <Dialog isOpen onClose={onClose} title={title} isPassing>
      <TextField
        label={search}
        value={text}
        autoComplete="off"
        autoFocus
        onChange={setText}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key !== 'Enter' || !first) return;
          event.preventDefault();
          onChoose(first.name);
        }}
      />
      {found.length === 0 && <p role="status">{none}</p>}
      <ul className={styles.choices}>
        {found.map(({ name, label, about }) => (
          <li key={name}>
            <button type="button" className={styles.choice} onClick={() => onChoose(name)}>
              <strong>
                <ForeignText text={label} />
              </strong>
              {about && (
                <span className={styles.about}>
                  <ForeignText text={about} most={MOST_ABOUT} />
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
