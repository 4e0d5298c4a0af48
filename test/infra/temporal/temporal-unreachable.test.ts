import { expect, test } from 'vitest';
import { NamespaceMissingError } from '../../../infra/temporal/namespace-missing.ts';
import { connectFailure } from '../../../infra/temporal/temporal-unreachable.ts';

test('the reason of a failed connection has no text of gRPC for a server that does not answer', async () => {
  const address = '127.0.0.1:1';
  const late = new Error('Failed to connect before the deadline');
  expect(await connectFailure(late, { address, seconds: 5 })).toBe('no answer within 5 s');
  expect(await connectFailure(late, { address: '[::1]:1' })).toBe('no answer within 10 s');
  expect(await connectFailure(new Error('closed\n  at x'), { address })).toBe('closed');
  const wrapped = new Error('Failed to connect to Temporal server', { cause: new Error('no certificate') });
  expect(await connectFailure(wrapped, { address })).toBe('no certificate');
  const env = { https_proxy: 'http://proxy:3128' };
  expect(await connectFailure(late, { address: 'temporal.invalid:7233', env })).toBe(
    'no answer within 10 s, by the proxy proxy:3128 of https_proxy; ' +
      'if it is reachable without, add temporal.invalid to NO_PROXY',
  );
});

test('a missing namespace names the variable and the command that creates it', () => {
  expect(new NamespaceMissingError({ address: 'box:7233', namespace: 'foo' }).message).toBe(
    'Temporal at box:7233 has no namespace foo. Correct TEMPORAL_NAMESPACE, or create the namespace: ' +
      '`temporal operator namespace create --namespace foo --address box:7233`.',
  );
});
