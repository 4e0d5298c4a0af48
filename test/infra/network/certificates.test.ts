import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { readTrustedCertificates } from '../../../infra/network/certificates.ts';
import { clientOptions } from '../../../infra/temporal/connection-options.ts';
import { makeCertificates } from '../../support/machine/certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-certificates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const empty = join(folder, 'empty.pem');
writeFileSync(empty, 'nothing');
const { caFile, key, cert } = makeCertificates(folder, ['localhost']);

test('a connection trusts the authority of SSL_CERT_FILE and, as before, those of Node', async () => {
  const server = createServer({ key, cert }, (_, response) => response.end('hello')).listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (ca: string[] | null): Promise<number | undefined> => {
    const sent = request({ host: 'localhost', port, agent: false, ...(ca && { ca }) }).end();
    const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume: () => void }];
    response.resume();
    return response.statusCode;
  };
  try {
    expect(readTrustedCertificates({})).toBeNull();
    await expect(ask(null)).rejects.toThrow(/unable to verify|self-signed/);
    const trusted = readTrustedCertificates({ SSL_CERT_FILE: caFile });
    expect(await ask(trusted)).toBe(200);
    expect(trusted?.length).toBeGreaterThan(50);
  } finally {
    server.close();
  }
});

test('a file that is missing or has no certificate is named with its variable', () => {
  expect(() => readTrustedCertificates({ SSL_CERT_FILE: empty })).toThrow(
    `SSL_CERT_FILE: expected a file of certificates (PEM), found no certificate at ${empty}. Correct or unset it.`,
  );
  expect(() => readTrustedCertificates({ SSL_CERT_FILE: join(folder, 'missing') })).toThrow(
    /could not read one \(ENOENT\)/,
  );
});

test('NODE_EXTRA_CA_CERTS is trusted, too, also by the client of Temporal, and ignored if it is no file', () => {
  const file = join(folder, 'public.pem');
  writeFileSync(file, String(rootCertificates[0]));
  const env = { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: caFile };
  const authority = readFileSync(caFile, 'utf8').trim();
  expect(readTrustedCertificates(env)).toContain(authority);
  const { tls } = clientOptions({ address: 'temporal.example:7233', connection: { tls: true } }, env);
  expect(String((tls as { serverRootCACertificate?: Buffer }).serverRootCACertificate)).toContain(authority);
  expect(readTrustedCertificates({ ...env, NODE_EXTRA_CA_CERTS: join(folder, 'missing') })).not.toContain(authority);
});

test("Temporal's client trusts it with TLS, unless the configuration names other authorities", () => {
  const address = 'temporal.example:7233';
  const env = { SSL_CERT_FILE: caFile };
  const trustedBy = (tls: object | boolean): string =>
    String(
      (clientOptions({ address, connection: { tls } }, env).tls as { serverRootCACertificate?: Buffer })
        .serverRootCACertificate,
    );
  expect(trustedBy(true).match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(50);
  expect(trustedBy({ serverRootCACertificate: Buffer.from('own') })).toBe('own');
  expect(clientOptions({ address, connection: {} }, { SSL_CERT_FILE: empty }).tls).toBeUndefined();
});
