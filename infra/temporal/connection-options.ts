import type { ConnectionOptions } from '@temporalio/client';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { readTrustedCertificates } from '../network/certificates.ts';
import { grpcProxyOf } from './grpc-proxy.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Address of a Temporal server, with TLS and keys. */
interface Target {
  address: string;
  connection: Omit<NativeConnectionOptions, 'address'>;
}

/** Options of Temporal's client, whose gRPC reads a proxy from the environment itself. */
export function clientOptions({ address, connection }: Target, env: Env): ConnectionOptions {
  const options: ConnectionOptions = { ...connection, ...withExtraCertificates(connection, env), address };
  // Without this, the client would also write a complaint about a proxy that it cannot use.
  if (grpcProxyOf(address, env) === null) options.channelArgs = { 'grpc.enable_http_proxy': 0 };
  return options;
}

/** Options of a worker's connection, which reads SSL_CERT_FILE itself, but no proxy. */
export function workerOptions({ address, connection }: Target, env: Env): NativeConnectionOptions {
  const options: NativeConnectionOptions = { ...connection, address };
  const proxy = grpcProxyOf(address, env);
  if (proxy === null) return options;
  options.proxy = { type: 'http-connect', targetHost: proxy.address };
  if (proxy.credentials !== null) options.proxy.basicAuth = proxy.credentials;
  return options;
}

/** TLS that also trusts the certificates of the environment, unless the configuration names the trusted ones. */
function withExtraCertificates({ tls, apiKey }: Target['connection'], env: Env): Pick<ConnectionOptions, 'tls'> {
  if (!tls && !apiKey) return {};
  const given = typeof tls === 'object' && tls !== null ? tls : {};
  const trusted = given.serverRootCACertificate ? null : readTrustedCertificates(env);
  if (trusted === null) return {};
  return { tls: { ...given, serverRootCACertificate: Buffer.from(trusted.join('\n')) } };
}
