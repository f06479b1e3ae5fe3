import { ForeignText } from '../../ui/foreign-text.tsx';
import styles from './contacts.module.css';

export function Tags({ tags }: { tags: readonly string[] }) {
  return tags.map((tag) => (
    <span key={tag} className={styles.tag}>
      <ForeignText text={tag} />
    </span>
  ));
}
