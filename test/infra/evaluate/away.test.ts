import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import type { Conversation, RunEnd } from '../../../infra/compute.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import { RUNTIME } from './runtime.ts';

let most = 0;
vi.mock(import('../../../domain/fleet/network-outage.ts'), async (actual) => ({
  ...(await actual()),
  longestOutageSeconds: () => most,
}));

const home = mkdtempSync(join(tmpdir(), 'perpetua-away-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const doubtOf = ({ doubt }: { doubt?: string }) => (doubt === undefined ? {} : { doubt });
const DOUBTED = { label: 'candidate-protocol', doubt: expect.stringContaining('for two seconds or more') as string };
const LOST = { rejects: 'HostUnreachableError' };

it.each<
  [
    what: string,
    reachMs: number,
    more: { roundSeconds?: number; firstMs?: number; refuses?: string; reason?: RunEnd['reason'] },
    expected: object,
  ]
>([
  ['has no verdict if the host was away for longer than the evaluator waits', 1500, {}, LOST],
  ['has no verdict, either, if its round would be over', 1500, { roundSeconds: 1 }, LOST],
  ['reports a limit that was exceeded nevertheless', 1500, { reason: 'memory' }, { label: 'out-of-memory' }],
  ['ends at its timeout if the host was reachable', 20, {}, { label: 'evaluator-timeout' }],
  ['ends with its round if the host was reachable', 20, { roundSeconds: 1 }, { label: 'candidate-protocol' }],
  [
    'ends with its round if the host was away before the round',
    20,
    { roundSeconds: 1, firstMs: 3000 },
    { label: 'candidate-protocol' },
  ],
  [
    'is in doubt if the candidate is refused and its host was away since the question',
    20,
    { firstMs: 3000, refuses: 'echo question; sleep 1' },
    DOUBTED,
  ],
  [
    'is in doubt, too, if the candidate gets another line before it is refused',
    20,
    { firstMs: 3000, refuses: 'echo question; sleep 5; echo quit' },
    DOUBTED,
  ],
  [
    'is in no doubt if the candidate is refused and its host was away before the question',
    20,
    { firstMs: 2500, refuses: 'sleep 4; echo question; sleep 1' },
    { label: 'candidate-protocol' },
  ],
])('an evaluation %s', async (_, ms, { roundSeconds, firstMs, refuses, reason }, expected) => {
  most = ms < 100 && firstMs === undefined ? 60 : 2;
  let probes = 0;
  let end: (end: RunEnd) => void = () => undefined;
  const ended = new Promise<RunEnd>((resolve) => (end = resolve));
  const conversation: Conversation = {
    host: 'far',
    confinement: { sandboxed: true, containment: 'pid-namespace' },
    output: new PassThrough(),
    ended,
    write: async () => undefined,
    end: () => undefined,
    stderrTail: () => '',
    stop: async () => end({ reason: reason ?? 'killed' } as RunEnd),
    roundTrip: () => sleep((probes += 1) === 1 ? (firstMs ?? ms) : ms),
  };
  const spec = {
    files: [],
    command: refuses
      ? `${refuses}; exit 3`
      : `${firstMs ? 'sleep 5; ' : ''}${roundSeconds ? 'echo question; ' : ''}exec sleep 4893`,
    timeoutSeconds: firstMs ? 30 : 3,
    seed: 1,
    artefacts: [],
    runtime: RUNTIME,
    conversation,
  };
  const limits = { roundSeconds: roundSeconds ?? 3, lineBytes: 10, totalBytes: 10 };
  const evaluated = createEvaluator({ home })
    .evaluate({ ...spec, limits }, new AbortController().signal)
    .then(
      (result) => (result.ok ? {} : { label: result.failure.label, ...doubtOf(result.failure) }),
      (error: Error) => ({ rejects: error.name }),
    );
  expect(await evaluated).toEqual(expected);
});
