import type { Provider, ProviderAnswer } from '../provider-server.js';

export interface ShopifyCustomer {
  id: number;
  email: string | null;
  first_name: string;
  last_name: string;
}

/** The client credentials of an app, and the token that the app gets in exchange. */
export interface ShopifyApp {
  clientId: string;
  clientSecret: string;
  token: string;
}

/**
 * Answers like the list of customers in the Admin API of Shopify, which requires a token. Apps get a token for their
 * client credentials. Each page has two customers, even when the request sets another limit. The header Link has the
 * address of the next page. A request for the next page must not have filters.
 */
export function shopify(
  token: string,
  app: ShopifyApp,
  customers: readonly ShopifyCustomer[],
): Provider {
  return ({ method, path, query, headers, body, base }) => {
    if (path === '/admin/oauth/access_token') return answerToken(new URLSearchParams(body), app);
    const given = headers['x-shopify-access-token'];
    if (given !== token && given !== app.token) return fault(401, 'Invalid API key');
    if (method !== 'GET' || !/^\/admin\/api\/\d{4}-\d\d\/customers\.json$/.test(path)) {
      return fault(404, 'Not Found');
    }
    const page = query.get('page_info');
    const since = query.get('updated_at_min');
    if (page !== null && since !== null) return fault(400, 'updated_at_min cannot be passed');
    if (page === null && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(since ?? '')) {
      return fault(400, 'updated_at_min: not a date');
    }
    if (Number(query.get('limit')) > 250) return fault(400, 'limit: too large');
    const start = page === null ? 0 : Number(page);
    const next = start + 2;
    const link = `<${base}${path}?limit=${query.get('limit')}&page_info=${next}>; rel="next"`;
    const before = `<${base}${path}?limit=1&page_info=0>; rel="previous"`;
    return {
      status: 200,
      headers: { Link: next < customers.length ? `${before}, ${link}` : before },
      body: { customers: customers.slice(start, next) },
    };
  };
}

function answerToken(form: URLSearchParams, app: ShopifyApp): ProviderAnswer {
  const isClient =
    form.get('client_id') === app.clientId && form.get('client_secret') === app.clientSecret;
  if (!isClient || form.get('grant_type') !== 'client_credentials') {
    return fault(400, 'invalid_client');
  }
  const body = { access_token: app.token, scope: 'read_customers', expires_in: 86_399 };
  return { status: 200, body };
}

function fault(status: number, errors: string): ProviderAnswer {
  return { status, body: { errors } };
}
