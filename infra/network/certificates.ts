import { readFileSync, statSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Environment } from './proxy.ts';

/** The environment names a file of certificates that cannot be used. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** A context, and the state of the files that it was read from. */
interface Known {
  context: SecureContext;
  state: string;
}

/** Contexts by the paths of their files: reading a system's certificates takes some milliseconds. */
const contexts = new Map<string, Known>();

/** A context that trusts {@link readTrustedCertificates}; undefined for Node's default. Reads changed files again. */
export function trustedCertificates(env: Environment): SecureContext | undefined {
  const { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: extra } = env;
  if (!file) return undefined;
  const key = JSON.stringify([file, extra]);
  // A renewal replaces a file while the process runs.
  const state = JSON.stringify([stateOf(file), stateOf(extra)]);
  const known = contexts.get(key);
  if (known?.state === state) return known.context;
  const certificates = readTrustedCertificates(env);
  if (certificates === null) return undefined;
  const context = contextOf(certificates);
  contexts.set(key, { context, state });
  return context;
}

function contextOf(certificates: string[]): SecureContext {
  try {
    return createSecureContext({ ca: certificates });
  } catch (error) {
    throw new CertificateError(error instanceof Error ? error.message : String(error));
  }
}

/** Facts of a file that a renewal changes; null if the file cannot be found. */
function stateOf(file: string | undefined): unknown {
  if (!file) return null;
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return [mtimeMs, size, ino];
  } catch {
    return null;
  }
}

/**
 * Certificates that our TLS connections trust: Node's own, those of NODE_EXTRA_CA_CERTS, and those of SSL_CERT_FILE,
 * which Node itself does not read. Null without SSL_CERT_FILE: Node's default. Throws {@link CertificateError}.
 */
export function readTrustedCertificates(env: Environment): string[] | null {
  const { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: extra } = env;
  if (!file) return null;
  // Node does not add the file of NODE_EXTRA_CA_CERTS to a list of our own.
  const more = !extra || extra === file ? [] : certificatesIn(readIfPossible(extra));
  return [...rootCertificates, ...readCertificates(file), ...more];
}

function readCertificates(file: string): string[] {
  const problem = (what: string): CertificateError =>
    new CertificateError(
      `SSL_CERT_FILE: expected a file of certificates (PEM), ${what} at ${file}. Correct or unset it.`,
    );
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw problem(`could not read one (${(error as NodeJS.ErrnoException).code})`);
  }
  const found = certificatesIn(text);
  if (found.length === 0) throw problem('found no certificate');
  return found;
}

const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/** Node, too, ignores a file of NODE_EXTRA_CA_CERTS that it cannot read. */
function readIfPossible(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
