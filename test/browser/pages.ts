/** The paths of the pages of signed-in people. Tests look at each in both themes and at both widths. */
export const PAGES = [
  '/',
  '/contacts',
  '/contacts?q=nobody',
  '/contacts/unknown',
  '/messages',
  '/messages?status=failed',
  '/messages/unknown',
  '/runs',
  '/runs?status=failed&reason=step_failed',
  '/runs/unknown',
  '/settings/developer',
  '/settings/account',
  '/nothing',
];

/** The paths of the pages of everybody else. */
export const OPEN_PAGES = ['/sign-in', '/sign-up'];
