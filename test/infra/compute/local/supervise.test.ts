import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { probe } from '../../../../infra/compute/local/probe.ts';
import { startSupervisor } from '../../../../infra/compute/local/supervise.ts';
import { layoutOf } from '../../../../infra/compute/run-protocol/paths.ts';
import { followToEnd, specOf } from '../conformance/support.ts';

/** Longer than a supervisor takes that has nothing to do. */
const SLOW_MS = 2000;
const SUPERVISOR = fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'perpetua-supervise-'));
afterAll(() => rmSync(base, { recursive: true }));

// A worker whose threads wait for its disk: the log of a supervisor is closed long after that is over.
vi.mock(import('node:fs/promises'), async (actual) => {
  const real = await actual();
  const open = async (...words: Parameters<typeof real.open>): Promise<FileHandle> => {
    const file = await real.open(...words);
    const close = file.close.bind(file);
    if (String(words[0]).endsWith('supervisor.log')) file.close = () => sleep(SLOW_MS).then(close);
    return file;
  };
  return { ...real, open };
});

it('the end of a supervisor is heard that is over before its log is closed', async () => {
  const script = join(base, 'over.sh');
  writeFileSync(script, 'exit 7\n');
  const { exited } = await startSupervisor(script, base, { talk: false });
  expect(await exited).toBe(7);
});

it('what confines runs is found where a supervisor is over before its log is closed', async () => {
  expect(await probe(layoutOf(base, 'probed'), { supervisor: SUPERVISOR, sandbox: false })).toBeDefined();
});

/** A run of an installation that has ended, and may be asked. */
async function endedRun(installation: string) {
  const compute = createLocalCompute({ home: base, installation });
  await compute.stage('stage1', []);
  const spec = specOf('true');
  await compute.launch(spec);
  await followToEnd(compute, spec);
  return { compute, spec };
}

it('what a program said, and its end, is known where it is over before its log is closed, or anybody listens', async () => {
  const { compute, spec } = await endedRun('asked');
  const talk = await compute.converse({ ...spec, command: 'echo 42; echo oops >&2' });
  expect(await talk.ended).toMatchObject({ reason: 'exit', exitCode: 0, outputBytes: 5 });
  expect(talk.stderrTail()).toBe('oops\n');
  expect(await text(talk.output)).toBe('42\n');
});

it('a conversation leaves no descriptor behind though nobody reads all that was said', async () => {
  const { compute, spec } = await endedRun('unread');
  const sockets = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => readLink(join('/proc/self/fd', fd)).startsWith('socket:')).length;
  const before = sockets();
  const talk = await compute.converse({ ...spec, command: 'head -c 160000 /dev/zero' });
  await talk.ended;
  for await (const chunk of talk.output) if (chunk.length > 0) break;
  await talk.stop();
  await expect.poll(sockets, { timeout: 10_000 }).toBeLessThanOrEqual(before);
});

/** Empty where it is gone by now. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
