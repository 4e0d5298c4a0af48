import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { expect, test } from 'vitest';
import { MANY_SIGNALS } from '../../../domain/messages/names.ts';
import { SENDER_HEADER } from '../../../domain/messages/sender.ts';
import { nameSender } from '../../../infra/temporal/name-sender.ts';
import { senders } from '../../../workflows/interceptors/senders.ts';

/** Arguments that a handler receives. */
async function argsOf(signalName: string, args: unknown[], headers: Headers): Promise<unknown> {
  let seen: unknown;
  await senders.handleSignal?.({ signalName, args, headers }, (input) => {
    seen = input.args;
    return Promise.resolve();
  });
  return seen;
}
const header = (value: unknown): Headers => ({ [SENDER_HEADER]: defaultPayloadConverter.toPayload(value) });

test('a handler receives the sender of the header as second argument, whatever was passed there', async () => {
  expect(await argsOf('note', [{ text: 'x' }, 'page'], header('command-line'))).toEqual([
    { text: 'x' },
    'command-line',
  ]);
  expect(await argsOf('pause', [], header('page'))).toEqual([undefined, 'page']);
});

test('without a header, or with an unknown or broken one, there is no sender', async () => {
  const broken = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{') };
  for (const headers of [{}, header('root'), header({ page: true }), { [SENDER_HEADER]: broken }])
    expect(await argsOf('note', [{ text: 'x' }, 'page'], headers as Headers)).toEqual([{ text: 'x' }]);
});

test('a batch of signals keeps all its arguments', async () => {
  expect(await argsOf(MANY_SIGNALS, ['note', 1, null], header('page'))).toEqual(['note', 1, null]);
});

test('a client names its sender in a header that a worker reads, and leaves the arguments as they are', async () => {
  const { signal } = nameSender('page');
  let seen: Headers = {};
  const input = { signalName: 'pause', args: [1], headers: {}, workflowExecution: { workflowId: 'w' } };
  await signal?.(input, (sent) => {
    expect(sent.args).toEqual([1]);
    seen = sent.headers;
    return Promise.resolve();
  });
  expect(await argsOf('pause', [1], seen)).toEqual([1, 'page']);
});
