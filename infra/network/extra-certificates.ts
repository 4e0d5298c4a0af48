import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/**
 * Certificates that our HTTPS connections trust: those of Node and those in the file that SSL_CERT_FILE names, which
 * Node ignores. Null if the variable is unset. Throws if the file cannot be read or holds no certificate.
 */
export function readExtraCertificates(env: Readonly<Record<string, string | undefined>>): string[] | null {
  const path = env.SSL_CERT_FILE;
  if (!path) return null;
  const problem = (what: string): Error =>
    new Error(`SSL_CERT_FILE: expected a file of certificates (PEM), ${what} at ${path}. Correct or unset it.`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw problem(`could not read one (${(error as NodeJS.ErrnoException).code})`);
  }
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (!found) throw problem('found no certificate');
  return [...rootCertificates, ...found];
}
