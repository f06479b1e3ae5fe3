// Runs before the first paint, so that a page in the dark theme never flashes white.
try {
  const theme = localStorage.getItem('switchboard.theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked. The theme of the system is used.
}
