import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Conversation, RunEnd } from '../../../infra/compute.ts';
import type { EvaluateSpec } from '../../../infra/evaluate.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import { RUNTIME } from './runtime.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-unread-'));
const evaluator = createEvaluator({ home });
afterAll(() => rmSync(home, { recursive: true, force: true }));

const file = (path: string, text: string) => ({ path, content: Buffer.from(text) });

const evaluate = (command: string, more: Pick<EvaluateSpec, 'files' | 'conversation' | 'limits'>) =>
  evaluator.evaluate(
    { command, timeoutSeconds: 60, seed: 7, artefacts: [], runtime: RUNTIME, ...more },
    new AbortController().signal,
  );

/** A conversation with a local process over pipes, without a host. */
function spawned(command: string): Conversation {
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'exit').then(() => ({ reason: 'killed' }) as RunEnd);
  return {
    host: 'here',
    confinement: { sandboxed: false, containment: 'process-group' },
    ended,
    output: child.stdout,
    write: (chunk) =>
      new Promise((resolve, reject) => child.stdin.write(chunk, (error) => (error ? reject(error) : resolve()))),
    end: () => void child.stdin.end(),
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
      await ended;
    },
    stderrTail: () => '',
  };
}

it.each([
  ['has closed the answers', 'process.stdin.destroy();'],
  ['reads none of the answers', ''],
])('takes the score of an evaluator that %s, while the candidate goes on in the middle of a line', async (_, close) => {
  const deaf = `require('node:fs').writeSync(3, '{"sum":1}'); ${close} setTimeout(() => process.exit(0), 4000);`;
  const conversation = spawned('yes 12345678');
  const result = await evaluate('exec node deaf.cjs', {
    files: [file('deaf.cjs', deaf)],
    conversation,
    limits: { roundSeconds: 2, lineBytes: 1000, totalBytes: 1e9 },
  });
  expect(result).toMatchObject({ ok: true, evaluation: { metrics: { sum: 1 } } });
});

it('a candidate owes no answer while its answers are not read, and owes one once they are', async () => {
  const late = (more: string) => `
    const say = (text) => process.stdout.write(text + '\\n');
    process.stdin.pause();
    say('1');
    setTimeout(() => say('2'), 1000);
    setTimeout(() => {
      const lines = require('node:readline').createInterface({ input: process.stdin });
      let n = 0;
      lines.on('line', () => { n += 1; if (n === 2) { ${more} } });
    }, 12_000);`;
  const big = `while read -r n; do [ $n = 3 ] && sleep 4221; head -c 900000 /dev/zero | tr '\\0' x; echo; done`;
  const talk = (more: string) =>
    evaluate('exec node late.cjs', {
      files: [file('late.cjs', late(more))],
      conversation: spawned(big),
      limits: { roundSeconds: 5, lineBytes: 1e6, totalBytes: 1e9 },
    });
  const end = `require('node:fs').writeSync(3, '{"sum":1}'); process.exit(0);`;
  const [scored, silent] = await Promise.all([talk(end), talk(`say('3');`)]);
  expect(scored).toMatchObject({ ok: true, evaluation: { metrics: { sum: 1 } } });
  expect(silent).toMatchObject({ ok: false, failure: { label: 'candidate-protocol' } });
  if (!silent.ok) expect(silent.failure.message).toContain('within 5 s; none came');
});
