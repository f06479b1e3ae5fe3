import { Link } from '@tanstack/react-router';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { Icon } from '../ui/icon.tsx';
import { PAGE_SECTIONS } from './pages.ts';
import styles from './shell.module.css';

/** These links are not marked as the present page when a page below them is open. */
const EXACT = new Set(['/', '/settings/developer']);

/** Shows the list of pages. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  const texts = useTexts(shellTexts);
  return (
    <nav aria-label={texts.navigation} className={styles.navigation}>
      {PAGE_SECTIONS.map((section) => (
        <div key={section.name ?? ''}>
          {section.name && <h2 className={styles.section}>{texts.sections[section.name]}</h2>}
          <ul>
            {section.pages.map((page) => (
              <li key={page.to}>
                <Link
                  to={page.to}
                  className={styles.link}
                  activeOptions={{ exact: EXACT.has(page.to) }}
                  onClick={onNavigate}
                >
                  <Icon name={page.icon} />
                  {texts.pages[page.name]}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
