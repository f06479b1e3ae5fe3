/** The proxy through which requests of workflows leave the network of the operator. */
export interface OutboundProxy {
  /** The host name or address. An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  /** The value of Proxy-Authorization. It is absent when the proxy asks for no password. */
  readonly authorization?: string;
}

/** Parses `http://[USER:PASSWORD@]HOST[:PORT]`. Returns undefined when the text is malformed. */
export function parseOutboundProxy(text: string): OutboundProxy | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const hasMore =
    (url.pathname !== '/' && url.pathname !== '') || url.search !== '' || url.hash !== '';
  const port = url.port === '' ? 80 : Number(url.port);
  if (url.protocol !== 'http:' || url.hostname === '' || hasMore || port === 0) return undefined;
  const proxy = { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port };
  if (url.username === '' && url.password === '') return proxy;
  try {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    return { ...proxy, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  } catch {
    return undefined;
  }
}
