import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A certificate authority, and a server's key and certificate of it. */
export interface Certificates {
  /** Path of the authority's certificate. */
  caFile: string;
  key: Buffer;
  cert: Buffer;
}

/** Makes an authority and a certificate for host names, in an existing folder. Throws without openssl. */
export function makeCertificates(folder: string, names: readonly string[]): Certificates {
  const at = (name: string): string => join(folder, name);
  const script = `
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority
    openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=server
    printf 'subjectAltName=%s\\nbasicConstraints=CA:FALSE\\n' "$1" >extensions
    openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
      -extfile extensions -out server.pem`;
  const alternatives = names.map((name) => `DNS:${name}`).join(',');
  execFileSync('sh', ['-ec', script, 'sh', alternatives], { cwd: folder, stdio: 'pipe' });
  return { caFile: at('ca.pem'), key: readFileSync(at('server.key')), cert: readFileSync(at('server.pem')) };
}
