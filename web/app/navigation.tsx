import { Link } from '@tanstack/react-router';
import { useTool } from '../api/tools.ts';
import { confirmationList } from '../features/approvals/approval.readers.ts';
import { useTexts } from '../texts/language.tsx';
import { shellTexts } from '../texts/shell.texts.ts';
import { Icon } from '../ui/icon.tsx';
import { PAGE_SECTIONS } from './pages.ts';
import styles from './shell.module.css';

/** A link of this set is marked as current on its own page only. Other links are also marked on the pages below. */
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
                  {page.name === 'approvals' && <OpenApprovals />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** Shows the current number of calls that wait for a person. Shows nothing until the number is known. */
function OpenApprovals() {
  const texts = useTexts(shellTexts);
  const { data } = useTool('list_confirmations', { state: 'pending' }, confirmationList);
  const count = data?.confirmations.length ?? 0;
  if (count === 0) return null;
  return (
    <>
      <span className={styles.count} aria-hidden>
        {count}
      </span>
      <span className="hidden-visually">{texts.openApprovals(count)}</span>
    </>
  );
}
