import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../../../config/paths.ts';
import { downloadCli } from '../../../../infra/temporal/cli/download-cli.ts';
import { makeCertificates } from '../../../support/machine/certificates.ts';
import { startConnectProxy } from '../../../support/machine/connect-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-download-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The stand-in of a company's proxy, which opens each connection and answers itself.
test.each(['HTTPS_PROXY', 'https_proxy'])(
  'the download goes through %s, and trusts SSL_CERT_FILE',
  async (variable) => {
    writeFileSync(join(folder, 'temporal'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    execFileSync('tar', ['-czf', 'archive.tgz', 'temporal'], { cwd: folder });
    const { caFile, ...identity } = makeCertificates(folder, ['temporal.download', 'archive.invalid']);
    const asked: string[] = [];
    const server = createServer(identity, ({ headers, url }, response) => {
      asked.push(`${headers.host}${url?.split('?')[0]}`);
      if (headers.host === 'archive.invalid') return response.end(readFileSync(join(folder, 'archive.tgz')));
      const archiveUrl = 'https://archive.invalid/temporal.tgz';
      return response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ archiveUrl, fileToExtract: 'temporal' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = await startConnectProxy((server.address() as AddressInfo).port);
    const keptAt = join(folder, 'bin', 'temporal');
    const download = (env: Record<string, string>) =>
      downloadCli({ keptAt, env: { PATH: process.env['PATH'] ?? '', ...env }, packageRoot: packageRoot(), onProgress });
    const onProgress = (): void => undefined;
    try {
      await expect(download({ [variable]: proxy.url })).rejects.toThrow(/UnknownIssuer/);
      expect(asked).toEqual([]);
      // The binary is no server, so the SDK reports that it does not start.
      await expect(download({ [variable]: proxy.url, SSL_CERT_FILE: caFile })).rejects.toThrow(/Failed to start/);
      expect(asked).toEqual(['temporal.download/cli/v1.8.2', 'archive.invalid/temporal.tgz']);
      expect(proxy.requested.at(-1)).toBe('me:secret@archive.invalid:443');
      expect(existsSync(keptAt)).toBe(false);
    } finally {
      proxy.close();
      server.close();
    }
  },
);
