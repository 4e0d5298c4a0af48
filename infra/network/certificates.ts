import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { readExtraCertificates } from './extra-certificates.ts';
import type { Environment } from './proxy.ts';

/** The environment names a file of certificates that cannot be used. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** Contexts by the files that they were read from: reading a system's certificates takes some milliseconds. */
const contexts = new Map<string, SecureContext>();

/**
 * The certificates that a TLS connection trusts: Node's own, those of NODE_EXTRA_CA_CERTS, and those of SSL_CERT_FILE,
 * which Node itself does not read. Undefined without SSL_CERT_FILE: Node's default. Throws {@link CertificateError}.
 */
export function trustedCertificates(env: Environment): SecureContext | undefined {
  const { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: extra } = env;
  const key = JSON.stringify([file, extra]);
  const known = contexts.get(key);
  if (known !== undefined) return known;
  try {
    const certificates = readExtraCertificates(env);
    if (certificates === null) return undefined;
    // Node does not add the file of NODE_EXTRA_CA_CERTS to a list of our own.
    const more = extra === undefined || extra === file ? [] : [readIfPossible(extra)];
    const context = createSecureContext({ ca: [...certificates, ...more] });
    contexts.set(key, context);
    return context;
  } catch (error) {
    throw new CertificateError(error instanceof Error ? error.message : String(error));
  }
}

/** Node, too, ignores a file of NODE_EXTRA_CA_CERTS that it cannot read. */
function readIfPossible(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
