/**
 * Shows the logo beside the name of the product. `public/icon.svg` has the same logo, but a browser would load it as a
 * separate document.
 */
export function BrandIcon({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--brand)" />
      <path
        d="M9 11h9a3 3 0 0 1 0 6h-4a3 3 0 0 0 0 6h9"
        fill="none"
        stroke="var(--on-brand)"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
      <circle cx="9" cy="11" r="2.5" fill="var(--on-brand)" />
      <circle cx="23" cy="23" r="2.5" fill="var(--on-brand)" />
    </svg>
  );
}
