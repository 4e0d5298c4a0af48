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

/** Delay in ms, longer than the life of a supervisor without work. */
const SLOW_MS = 2000;
const SUPERVISOR = fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'perpetua-supervise-'));
afterAll(() => rmSync(base, { recursive: true }));

// Simulates a worker with a slow disk, which closes the log of a supervisor long after the supervisor has ended.
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

it('a supervisor that ended before its log was closed still reports its exit code', async () => {
  const script = join(base, 'over.sh');
  writeFileSync(script, 'exit 7\n');
  const { exited } = await startSupervisor(script, base, { talk: false });
  expect(await exited).toBe(7);
});

it('the probe finds the confinement of runs if its supervisor ends before the log is closed', async () => {
  expect(await probe(layoutOf(base, 'probed'), { supervisor: SUPERVISOR, sandbox: false })).toBeDefined();
});

/** Runs a command to its end in an installation of its own, so that a conversation with the run may start. */
async function endedRun(installation: string) {
  const compute = createLocalCompute({ home: base, installation });
  await compute.stage('stage1', []);
  const spec = specOf('true');
  await compute.launch(spec);
  await followToEnd(compute, spec);
  return { compute, spec };
}

it('a program that ended before its log was closed still has its output and its end', async () => {
  const { compute, spec } = await endedRun('asked');
  const talk = await compute.converse({ ...spec, command: 'echo 42; echo oops >&2' });
  expect(await talk.ended).toMatchObject({ reason: 'exit', exitCode: 0, outputBytes: 5 });
  expect(talk.stderrTail()).toBe('oops\n');
  expect(await text(talk.output)).toBe('42\n');
});

it('a conversation leaves no descriptor open if nobody reads all of its output', async () => {
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

/** Target of a link; empty if the link is gone. */
function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
