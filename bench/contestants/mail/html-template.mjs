// Publishes the template of the HTML e-mails. Its CSS is inlined, and it reads the contact and two variables.
const HTML = `<style>h1 { color: #123456; font-size: 20px } p { margin: 0 0 12px } .note { color: #777777 }</style>
<h1>{{ subject }}</h1>
<p>Dear {{ contact.first_name }},</p>
<p>{{ body }}</p>
<table><tr><td class="note">You get this e-mail because you have ordered something.</td></tr></table>`;

export async function prepare({ app, dist, organizationId, userId }) {
  const { TemplatesService } = await dist('templates/templates.service.js');
  const { TemplateVersionsService } = await dist('templates/template-versions.service.js');
  const { TenantDatabase } = await dist('database/transactions/tenant-database.js');
  await app.get(TenantDatabase).transaction(organizationId, async () => {
    const { id } = await app.get(TemplatesService).create(organizationId, {
      name: 'order',
      variables: ['subject', 'body'].map((name) => ({ name, type: 'text' })),
      variants: { en: { email: { subject: '{{ subject }}', html: HTML, text: '{{ body }}' } } },
    });
    const actor = { kind: 'user', id: userId };
    const given = { expectedVersion: undefined, actor };
    await app.get(TemplateVersionsService).publish(organizationId, id, given);
  });
}
