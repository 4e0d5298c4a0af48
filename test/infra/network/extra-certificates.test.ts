import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readExtraCertificates } from '../../../infra/network/extra-certificates.ts';
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
    expect(readExtraCertificates({})).toBeNull();
    await expect(ask(null)).rejects.toThrow(/unable to verify|self-signed/);
    const trusted = readExtraCertificates({ SSL_CERT_FILE: caFile });
    expect(await ask(trusted)).toBe(200);
    expect(trusted?.length).toBeGreaterThan(50);
  } finally {
    server.close();
  }
});

test('a file that is missing or has no certificate is named with its variable', () => {
  expect(() => readExtraCertificates({ SSL_CERT_FILE: empty })).toThrow(
    `SSL_CERT_FILE: expected a file of certificates (PEM), found no certificate at ${empty}. Correct or unset it.`,
  );
  expect(() => readExtraCertificates({ SSL_CERT_FILE: join(folder, 'missing') })).toThrow(
    /could not read one \(ENOENT\)/,
  );
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
