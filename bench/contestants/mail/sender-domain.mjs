// Adds the domain from which signed e-mails are sent, with its key. The bench records that its DNS records were found.
export async function prepare({ app, dist, organizationId, userId }) {
  const { SenderDomainsService } = await dist('senders/sender-domains.service.js');
  await app.get(SenderDomainsService).add(organizationId, 'example.com', userId);
}
