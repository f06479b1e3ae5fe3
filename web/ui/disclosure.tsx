import { type ReactNode, useState } from 'react';

interface DisclosureProps {
  summary: ReactNode;
  /** True when the content is open at first. */
  isOpen?: boolean;
  className?: string | undefined;
  summaryClass?: string | undefined;
  children: ReactNode;
}

/** Shows a line that opens its content. Closed content is not rendered, so that a list with large entries stays fast. */
export function Disclosure(props: DisclosureProps) {
  const { summary, isOpen: isOpenAtFirst = false, className, summaryClass, children } = props;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details
      open={isOpen}
      className={className}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className={summaryClass}>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
