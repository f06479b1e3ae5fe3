// Adds the domain from which signed e-mails are sent, with its key. The domain has no DNS records, so `mail.mjs` marks
// the domain as verified.
export async function prepare({ app, dist, organizationId, userId }) {
  const { SenderDomainsService } = await dist('senders/sender-domains.service.js');
  await app.get(SenderDomainsService).add(organizationId, 'example.com', userId);
}
