import { expect, test } from 'vitest';
import { checkProxy } from '../../../cli/doctor/proxy.ts';
import { loadConfig } from '../../../config/load.ts';

const check = (env: Record<string, string>) => checkProxy(loadConfig(env));

test('doctor says which proxy is used for what, without its password', () => {
  const env = {
    OPENAI_BASE_URL: 'https://models.test/v1',
    PERPETUA_POLICY_URL: 'http://policy.test:8000/v1',
    https_proxy: 'http://me:hunter2@proxy.test:3128',
    HTTP_PROXY: 'http://other.test:3128',
    no_proxy: '.models.test',
  };
  const { status, found } = check(env);
  expect(status).toBe('ok');
  expect(found).toBe(
    'model endpoint https://models.test/v1: direct; ' +
      'policy server http://policy.test:8000/v1: through http://other.test:3128 (HTTP_PROXY); ' +
      'downloads: through http://proxy.test:3128 (https_proxy); addresses of this machine: direct',
  );
});

test('doctor says that no proxy is set, and reports one that cannot be used, or an absent file of certificates', () => {
  expect(check({})).toMatchObject({ status: 'ok', found: 'none is set' });
  const socks = check({ https_proxy: 'socks5://me:hunter2@h:1' });
  expect(socks).toMatchObject({ status: 'note', found: expect.stringContaining('https_proxy') as string });
  expect(JSON.stringify(socks)).not.toContain('hunter2');
  const absent = check({ SSL_CERT_FILE: '/nowhere/cert.pem' });
  expect(absent).toMatchObject({ status: 'note', found: expect.stringContaining('/nowhere/cert.pem') as string });
});
