import { expect, it } from 'vitest';
import type { RunLimits } from '../../../../domain/job/run-limits.ts';
import { LIMITS, type Bench } from './support.ts';

/** Part of the suite: a limit. */
export function limitsTests({ compute, run }: Bench): void {
  const limited = (command: string, limits: Partial<RunLimits>) => run(command, { limits: { ...LIMITS, ...limits } });
  // A run whose sandbox takes longer to build than the wall limit is lost, so the next try has a longer limit.
  const atWall = async (command: string, limits: Partial<RunLimits> = {}) => {
    for (const wallSeconds of [2, 8]) {
      const { end } = await limited(command, { ...limits, wallSeconds });
      if (end) return end;
    }
    return (await limited(command, limits)).end;
  };

  it('of wall clock ends a run that hangs and ignores TERM', async () => {
    const end = await atWall(`trap '' TERM; while :; do sleep 4326; done`);
    expect(end).toMatchObject({ reason: 'wall', treeGone: true });
    expect(end.wallSeconds).toBeGreaterThan(0.5);
    expect(end.wallSeconds).toBeLessThan(LIMITS.wallSeconds);
  });

  it('of wall clock that is null ends no run', async () => {
    const { end, text } = await limited('sleep 2; echo still there', { wallSeconds: null });
    expect(text).toBe('still there\n');
    expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
  });

  it('of CPU seconds ends a run that computes, and counts its children', async () => {
    const { end } = await limited(`for i in 1 2; do sh -c 'while :; do :; done' & done; wait`, { cpuSeconds: 1 });
    expect(end).toMatchObject({ reason: 'cpu', treeGone: true });
    expect(end.cpuSeconds).toBeGreaterThan(0.9);
    expect(end.cpuSeconds).toBeLessThan(LIMITS.wallSeconds);
  });

  it('of output ends a flood at its byte', async () => {
    const { end, text } = await limited('yes', { outputBytes: 100_000 });
    expect(end).toMatchObject({ reason: 'output', treeGone: true });
    expect(text.length).toBeLessThan(101_000);
    expect(text.length).toBeGreaterThan(99_000);
  });

  it('of disk ends a run that writes one large file', async () => {
    const { end } = await limited('cat /dev/zero > big; sleep 4327', { diskMb: 8 });
    expect(end).toMatchObject({ reason: 'disk', treeGone: true });
  });

  it('of disk explains exit code 153 if a file is at the limit, and not if the run chose that code', async () => {
    const large = await limited('cat /dev/zero > big', { diskMb: 1 });
    expect(large.end).toMatchObject({ reason: 'disk' });
    const chosen = await limited('head -c 1000000 /dev/zero > big; exit 153', { diskMb: 1 });
    expect(chosen.end).toMatchObject({ reason: 'exit', exitCode: 153, signal: null });
  });

  it('of disk or files explains the failure of a run that exceeded it before the first measurement', async () => {
    const fast = (command: string, more: Partial<RunLimits>) => limited(`${command}; exit 1`, more);
    const large = await fast('for n in 1 2 3; do head -c 1000000 /dev/zero > $n; done', { diskMb: 2 });
    expect(large.end).toMatchObject({ reason: 'disk' });
    expect(large.end.files).toBeUndefined();
    const many = await fast('seq 60 | xargs touch', { files: 50 });
    expect(many.end).toMatchObject({ reason: 'disk', files: { allowed: 50, seen: 51 } });
    const within = await fast('head -c 1000000 /dev/zero > x', { diskMb: 2, files: 50 });
    expect(within.end).toMatchObject({ reason: 'exit', exitCode: 1 });
  });

  it('of disk frees the space of the run at once, even in folders that the worker cannot enter', async () => {
    const fill = 'head -c 1000000 /dev/zero >';
    const { end, spec } = await limited(
      `mkdir -p a/b; for n in 1 2 3; do ${fill} $n; done; ${fill} a/b/x; chmod 000 a/b a; exit 1`,
      { diskMb: 2 },
    );
    expect(end).toMatchObject({ reason: 'disk' });
    const wanted = ['1', 'main.txt', 'a/b/x'].map((path) => ({ path, maxBytes: 2_000_000 }));
    expect((await compute().collect(spec, { artefacts: wanted })).missing).toEqual(['1', 'main.txt', 'a/b/x']);
  });

  it('of disk does not count staged files, and counts what the run adds', async () => {
    const big = { path: 'big', content: Buffer.alloc(12_000_000, 'x') };
    await compute().stage('large', [big]);
    const more = { stageHash: 'large', limits: { ...LIMITS, diskMb: 8 } };
    // Three seconds are enough for one measurement of the disk.
    expect((await run('sleep 3; echo whole', more)).text).toBe('whole\n');
    const over = 'i=0; while [ $i -lt 3 ]; do head -c 4000000 /dev/zero >more.$i; i=$((i+1)); done; sleep 4327';
    expect((await run(over, more)).end).toMatchObject({ reason: 'disk', treeGone: true });
  });

  it('of disk ends a run that writes many files', async () => {
    const { end } = await limited(`i=0; while :; do head -c 1000000 /dev/zero > $i; i=$((i+1)); sleep 0.02; done`, {
      diskMb: 8,
    });
    expect(end).toMatchObject({ reason: 'disk', treeGone: true });
  });

  it('of files ends a run that adds more, links too, and does not count files of task or candidate', async () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ path: `many/${n}`, content: Buffer.alloc(0) }));
    await compute().stage('many', many);
    const laid = many.map(({ content }, n) => ({ path: `laid/deep/${n}`, content }));
    const files = [{ path: 'main.txt', content: Buffer.alloc(0) }, ...laid];
    const more = { stageHash: 'many', files, limits: { ...LIMITS, files: 90 } };
    // Three seconds are enough for one measurement of the disk.
    const within = await run('mkdir d; touch d/$$; sleep 3; echo whole', more);
    expect([within.text, within.end.files]).toEqual(['whole\n', undefined]);
    const { end } = await run(`i=0; while [ $i -lt 95 ]; do ln main.txt l$i; i=$((i+1)); done; sleep 4327`, more);
    expect(end).toMatchObject({ reason: 'disk', files: { allowed: 90, seen: 91 }, treeGone: true });
  });

  it('of memory ends a run that takes more', async () => {
    const { end } = await limited(`node -e 'const a=[]; setInterval(() => a.push(Buffer.alloc(20e6, 1)), 20)'`, {
      memoryMb: 200,
    });
    expect(end).toMatchObject({ reason: 'memory', treeGone: true });
    expect(end.maxRssMb).toBeGreaterThan(200);
  });

  it('of processes ends a run that starts more', async () => {
    const many = 'i=0; while [ $i -lt 60 ]; do sleep 4328 & i=$((i+1)); done; wait';
    const { end } = await limited(many, { processes: 30 });
    expect(end).toMatchObject({ reason: 'processes', treeGone: true });
  });

  it('ends a fork bomb', async () => {
    const end = await atWall('bomb() { bomb | bomb & }; bomb; sleep 4328', { processes: 30 });
    // A bomb that starves itself at the kernel's limit may end before the supervisor counts its processes.
    expect(['processes', 'exit', 'wall']).toContain(end.reason);
    expect(end.treeGone).toBe(true);
  });

  it('does not touch a run that keeps within all of them', async () => {
    const { end } = await limited(`node -e 'setTimeout(() => {}, 3000)'`, { memoryMb: 400, processes: 5 });
    expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
    expect(end.maxRssMb).toBeGreaterThan(10);
  });
}
