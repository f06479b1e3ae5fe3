import type { Provider, ProviderAnswer } from '../provider-server.js';

export interface ShopifyCustomer {
  id: number;
  email: string | null;
  first_name: string;
  last_name: string;
}

/**
 * Answers as the list of customers in the Admin API of Shopify, which requires a token. Each page has two customers,
 * whatever the limit. The header Link has the address of the next page. A request for that page may have no filters.
 */
export function shopify(token: string, customers: readonly ShopifyCustomer[]): Provider {
  return ({ method, path, query, headers, base }) => {
    if (headers['x-shopify-access-token'] !== token) return fault(401, 'Invalid API key');
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

function fault(status: number, errors: string): ProviderAnswer {
  return { status, body: { errors } };
}
