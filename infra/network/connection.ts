import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { Agent, RequestOptions } from 'node:http';
import type { SecureContext } from 'node:tls';
import { trustedCertificates } from './certificates.ts';
import { type Environment, proxyFor } from './proxy.ts';

/** Options of a request that say how it reaches its endpoint. */
export type ConnectionOptions = Pick<RequestOptions, 'agent'> & { secureContext?: SecureContext };

/**
 * The way to a URL: through the proxy of the environment, with the certificates that it trusts. The signal ends a
 * tunnel, too. Each request opens a new connection: a kept one that the other side has closed would look like an
 * endpoint that is down. Throws ProxyError or CertificateError.
 */
export const connectionOptions = (url: URL, env: Environment, signal: AbortSignal): ConnectionOptions => ({
  agent: agentFor(url, env, signal),
  ...contextFor(url, env),
});

/** The option of a request that states which certificates it trusts. */
function contextFor(url: URL, env: Environment): { secureContext?: SecureContext } {
  const secureContext = url.protocol === 'https:' ? trustedCertificates(env) : undefined;
  return secureContext === undefined ? {} : { secureContext };
}

/** The agent that sends a request through its proxy; false without a proxy. */
function agentFor(url: URL, env: Environment, signal: AbortSignal): Agent | false {
  const proxy = proxyFor(url, env);
  if (proxy === null) return false;
  // Without user and password, which the agent would write into a debug log.
  const address = new URL(proxy.shown);
  const headers = proxy.login === null ? {} : { 'Proxy-Authorization': proxy.login };
  const options = { signal, headers, ...contextFor(proxy.url, env) };
  return url.protocol === 'https:' ? new HttpsProxyAgent(address, options) : new HttpProxyAgent(address, options);
}
