/** Outlines of 20 × 20, drawn with strokes. */
const PATHS = {
  alert: 'M10 3 2.5 16.5h15L10 3ZM10 8v4M10 14.2v.3',
  check: 'm4 10.5 4 4 8-9',
  chevronDown: 'm5 7.5 5 5 5-5',
  chevronLeft: 'm12 5-5 5 5 5',
  chevronRight: 'm8 5 5 5-5 5',
  close: 'm5 5 10 10M15 5 5 15',
  code: 'm7 6-4 4 4 4M13 6l4 4-4 4',
  contacts: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 17c.4-3.2 2.6-5 6-5s5.600 1.800 6 5',
  copy: 'M7 7h9v10H7ZM4 13V3h9',
  deliveries: 'M3 10h3l2 3h4l2-3h3M3 10v6h14v-6M3 10l2.500-6h9L17 10',
  events: 'M11 3 5 11.500h4L8 17l6.500-8.500H10L11 3Z',
  home: 'M3 9.500 10 4l7 5.500V17H3ZM8 17v-5h4v5',
  key: 'M7 13a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM10.500 9.500H18V13M14.500 9.500V12',
  log: 'M4 4h12v13H4ZM7 8h6M7 11h6M7 14h4',
  menu: 'M3 6h14M3 10h14M3 14h14',
  messages: 'M3 5h14v10H3ZM3 6l7 5 7-5',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  person: 'M10 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM4 17c.400-3.500 2.600-5.500 6-5.500s5.600 2 6 5.500',
  plus: 'M10 4v12M4 10h12',
  refresh: 'M16 6a7 7 0 1 0 1 5M16 3v4h-4',
  runs: 'M6 4.500v11l9-5.500Z',
  search: 'M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11ZM13 13l4 4',
  shield: 'M10 3 4 5v5c0 3.500 2.500 6 6 7 3.500-1 6-3.500 6-7V5Z',
  tools:
    'M12.500 3.500a4 4 0 0 0-4.200 5.500L3.500 14a1.800 1.800 0 0 0 2.500 2.500l5-4.800a4 4 0 0 0 5.500-4.200L14 10l-3-.500L10.500 6Z',
  trash: 'M4 6h12M8 6V4h4v2M6 6l.700 11h6.600L14 6',
  workflows: 'M4 4h4v4H4ZM12 12h4v4h-4ZM6 8v6h6M12 4h4v4h-4ZM8 6h4',
} as const;

export type IconName = keyof typeof PATHS;

/** Shows an icon beside a text with the same meaning, so screen readers skip the icon. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <path
        d={PATHS[name]}
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
