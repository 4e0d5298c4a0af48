import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Environment } from './proxy.ts';

/** The environment names a file of certificates that cannot be used. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** Contexts by the files that they were read from: reading a system's certificates takes some milliseconds. */
const read = new Map<string, SecureContext>();

/**
 * The certificates that a TLS connection trusts: Node's own, those of NODE_EXTRA_CA_CERTS, and those of SSL_CERT_FILE,
 * which Node itself does not read. Undefined without SSL_CERT_FILE: Node's default. Throws {@link CertificateError}.
 */
export function trustedCertificates(env: Environment): SecureContext | undefined {
  const { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: extra } = env;
  if (file === undefined || file === '') return undefined;
  const key = JSON.stringify([file, extra]);
  const known = read.get(key);
  if (known !== undefined) return known;
  // Node does not add NODE_EXTRA_CA_CERTS to a list of our own. A file that it cannot read, it ignores with a warning.
  const extras = extra === undefined || extra === '' || extra === file ? '' : readIfPossible(extra);
  const context = contextOf(file, [...rootCertificates, readCertificates(file), ...(extras === '' ? [] : [extras])]);
  read.set(key, context);
  return context;
}

function contextOf(file: string, ca: string[]): SecureContext {
  try {
    return createSecureContext({ ca });
  } catch (error) {
    throw new CertificateError(unusable(file, error instanceof Error ? error.message : String(error)));
  }
}

const unusable = (file: string, got: string): string =>
  `expected SSL_CERT_FILE to name a file of PEM certificates, got ${JSON.stringify(file)}: ${got}; correct or unset it`;

function readCertificates(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CertificateError(unusable(file, (error as NodeJS.ErrnoException).code ?? String(error)));
  }
  if (!text.includes('-----BEGIN ')) throw new CertificateError(unusable(file, 'it contains no certificate'));
  return text;
}

function readIfPossible(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
