// Runs before the first paint, so that a page in the dark theme never flashes white.
try {
  const theme = localStorage.getItem('switchboard.theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked. The theme of the system is used.
}
// Asks for the session while the browser loads and reads the scripts. `web/api/session.ts` takes the answer.
if (!/^\/(sign-in|sign-up|verify)$/.test(location.pathname)) {
  window.switchboardFirstSession = fetch('/api/auth/session');
  // On a failure, the page sends the request again and shows the error.
  window.switchboardFirstSession.catch(() => undefined);
}
