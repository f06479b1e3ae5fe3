/** Lists the paths of the pages of signed-in people. Tests look at each in both themes and at both widths. */
export const PAGES = [
  '/',
  '/contacts',
  '/contacts?q=nobody',
  '/contacts/unknown',
  '/contacts/duplicates',
  '/messages',
  '/messages?status=failed',
  '/messages/unknown',
  '/workflows',
  '/workflows?active=true',
  '/workflows/new',
  '/workflows/unknown',
  '/runs',
  '/runs?status=failed&reason=step_failed',
  '/runs/unknown',
  '/settings/developer',
  '/settings/developer/calls',
  '/settings/developer/calls?who=everybody',
  '/settings/audit',
  '/settings/contacts',
  '/settings/secrets',
  '/settings/retention',
  '/tools',
  '/tools/create_contact',
  '/tools/unknown',
  '/approvals',
  '/settings/account',
  '/nothing',
];

/** Lists the paths of the pages of everybody else. */
export const OPEN_PAGES = ['/sign-in', '/sign-up', '/verify'];
